import { isRecord, readInstant } from '../../../domain/payment/reading.ts';

/** Identifies a changed request. It holds no status, since the payment is polled. */
export interface RelayHint {
  readonly requestIds: readonly string[];
  readonly addresses: readonly string[];
  readonly updatedAt: Date | null;
  /** Equal for two hints about the same change; null when the change cannot be identified. */
  readonly key: string | null;
}

/** Accepts the ids and addresses of any chain, and no character that could break a query or a log line. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

/** Parses the body of a notice; null when it identifies no request. */
export function parseNotice(body: Uint8Array): RelayHint | null {
  const value = parseText(new TextDecoder().decode(body));
  if (!isRecord(value) || !isRecord(value['data'])) return null;
  return hintOf(value['data'], value['data']['requestId']);
}

/** Parses one row of `/requests/v3`; null when it identifies no request. */
export function parseChangedRequest(value: unknown): RelayHint | null {
  return isRecord(value) ? hintOf(value, value['id']) : null;
}

function hintOf(data: Record<string, unknown>, id: unknown): RelayHint | null {
  const requestIds = [id, data['supersededByRequestId']].filter(isPlain);
  const address = isRecord(data['depositAddress']) ? data['depositAddress']['address'] : null;
  const addresses = [address].filter(isPlain);
  if (requestIds.length === 0 && addresses.length === 0) return null;
  const updatedAt = readInstant(data['updatedAt']);
  const change = [...requestIds, ...addresses, data['status'], updatedAt?.getTime()];
  return { requestIds, addresses, updatedAt, key: updatedAt === null ? null : JSON.stringify(change) };
}

function isPlain(value: unknown): value is string {
  return typeof value === 'string' && PLAIN.test(value);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
