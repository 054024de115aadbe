import { isRecord } from '../../domain/payment/reading.ts';
import { UNREACHED } from '../../ports/unreached.ts';
import type { ExchangeLimit } from './exchange-error.ts';

const LIMITS: Readonly<Record<ExchangeLimit, string>> = {
  DEADLINE_PASSED: 'timeout',
  RESPONSE_TOO_LARGE: 'answer too large',
  TOO_MANY_HEADERS: 'unreadable answer',
  TOO_MANY_CHUNKS: 'unreadable answer',
};
const REASONS = new Map<string, string>([
  ...Object.entries(LIMITS),
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNREFUSED', UNREACHED.refused],
  ['ECONNRESET', 'connection closed'],
  ['EPIPE', 'connection closed'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['ENOTFOUND', UNREACHED.unnamed],
  ['EAI_AGAIN', UNREACHED.unnamed],
  ['EHOSTUNREACH', UNREACHED.unrouted],
  ['ENETUNREACH', UNREACHED.unrouted],
  ['BLOCKED_ADDRESS', 'address refused'],
  ['UND_ERR_CLOSED', 'stopping'],
  ['UND_ERR_DESTROYED', 'stopping'],
  ['HTTPParserError', 'unreadable answer'],
  ['UND_ERR_HEADERS_OVERFLOW', 'unreadable answer'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'unreadable answer'],
]);
const CERTIFICATE = /CERT|TLS|SSL|SIGNATURE/;

/** Why there is no response, in words without an address or a key. */
export function reasonOf(error: unknown): string {
  const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : '';
  const known = REASONS.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'unreadable answer';
  return CERTIFICATE.test(code) ? 'certificate not trusted' : 'connection failed';
}
