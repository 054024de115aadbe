import type { Request } from 'express';

const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i;

/** The client's address as people write it; null once the connection is gone. */
export function clientAddress({ ip }: Request): string | null {
  return ip?.replace(IPV4_IN_IPV6, '') ?? null;
}
