import { subscribe } from 'node:diagnostics_channel';
import { isIPv6, type Socket } from 'node:net';

/** A request that is told on which connection it goes out. */
export interface Written {
  sentOn(socket: Socket): void;
}

/** undici tells the socket right after it has told the handler that its request starts, in the same turn. */
let writing: Written | null = null;
subscribe('undici:client:sendHeaders', (message) => {
  writing?.sentOn((message as { readonly socket: Socket }).socket);
  writing = null;
});

/** The next request that undici writes is this one. */
export function writesNext(request: Written): void {
  writing = request;
}

export function addressOf(address: string | undefined, port: number | undefined): string | null {
  if (address === undefined || port === undefined) return null;
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Where no connection was made, the error may tell where to; of several addresses the last that was tried. */
export function triedIn(error: unknown): string | null {
  const { errors } = (error ?? {}) as { errors?: unknown };
  const { address, port } = ((Array.isArray(errors) ? errors.at(-1) : error) ?? {}) as Record<
    string,
    unknown
  >;
  return typeof address === 'string' && typeof port === 'number' ? addressOf(address, port) : null;
}
