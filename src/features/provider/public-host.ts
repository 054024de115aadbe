import { isIP } from 'node:net';

const INTERNAL =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|corp|home|home\.arpa|svc|test)$/i;

/** The host of a request such as `GET https://api.example/api/chains`; null for an address, or a name of an internal network. */
export function publicHostOf(request: string | null): string | null {
  const url = request?.split(' ')[1];
  if (url === undefined || !URL.canParse(url)) return null;
  const { hostname } = new URL(url);
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0;
  return isAddress || !hostname.includes('.') || INTERNAL.test(hostname) ? null : hostname;
}
