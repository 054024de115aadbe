import { optional } from './kinds.ts';
import type { Refuse, Row, Setting } from './setting.ts';

const HOST_ENTRY = /^([a-z\d.-]+|\[[a-f\d:]+\])\s*=\s*(.*)$/is;
/** A value may contain a comma: only a comma before a host separates entries. */
const BETWEEN_HOSTS = /\s*,\s*(?=(?:[a-z\d.-]+|\[[a-f\d:]+\])\s*=)/i;
const HEADER = /^([!#$%&'*+.^_`~\w-]+)\s*:\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
/** Headers that the client sets itself. */
const OWN =
  /^(?:host|accept|accept-encoding|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/;

/** The headers for each host, by lower-case name. Messages repeat none, since they contain keys. */
export function rpcHeaders(
  name: string,
  row: Row,
): Setting<ReadonlyMap<string, Readonly<Record<string, string>>> | null> {
  return optional(name, row, '`api.trongrid.io=TRON-PRO-API-KEY:…,…`', (value, refuse) => {
    const hosts = new Map<string, Readonly<Record<string, string>>>();
    for (const entry of value.split(BETWEEN_HOSTS)) {
      const [, host = '', texts = ''] = HOST_ENTRY.exec(entry.trim()) ?? [];
      if (host === '') return refuse('is not a list like host=Name:value|Name:value,host=Name:value');
      if (hosts.has(host.toLowerCase())) return refuse('names one host twice');
      const headers = headersOf(texts, refuse);
      if (headers === undefined) return undefined;
      hosts.set(host.toLowerCase(), headers);
    }
    return hosts;
  });
}

function headersOf(texts: string, refuse: Refuse): Readonly<Record<string, string>> | undefined {
  const headers = texts.split('|').map((text) => HEADER.exec(text.trim()));
  const pairs = headers.map((found) => [found?.[1]?.toLowerCase() ?? '', found?.[2] ?? ''] as const);
  if (pairs.some(([header]) => header === ''))
    return refuse('has a header that is not like Name:value, with printable ASCII characters');
  if (pairs.some(([header]) => OWN.test(header))) return refuse('has a header that Paybell writes itself');
  if (new Set(pairs.map(([header]) => header)).size < pairs.length)
    return refuse('has one header of a host twice');
  return Object.fromEntries(pairs);
}
