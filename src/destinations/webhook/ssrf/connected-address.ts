import { isIPv6 } from 'node:net';

export function addressOf(address: string | undefined, port: number | undefined): string | null {
  if (address === undefined || port === undefined) return null;
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The address in a connection error; of several addresses the last one that was tried. */
export function triedAddressOf(error: unknown): string | null {
  const { errors } = (error ?? {}) as { errors?: unknown };
  const { address, port } = ((Array.isArray(errors) ? errors.at(-1) : error) ?? {}) as Record<
    string,
    unknown
  >;
  return typeof address === 'string' && typeof port === 'number' ? addressOf(address, port) : null;
}
