import { isIPv6 } from 'node:net';

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
