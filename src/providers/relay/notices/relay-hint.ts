import { isRecord, readInstant } from '../../../domain/payment/reading.ts';

/** Which request has changed, as Relay tells it; not how it stands. */
export interface RelayHint {
  readonly requestIds: readonly string[];
  readonly addresses: readonly string[];
  readonly updatedAt: Date | null;
  /** Equal for what tells of the same change; null when nothing says which change it is. */
  readonly key: string | null;
}

/** Ids and addresses as any chain has them; nothing that a database or a log line could trip over. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

/** The body of a webhook; null when no request can be made out. */
export function readNotice(body: Uint8Array): RelayHint | null {
  const value = parsed(new TextDecoder().decode(body));
  if (!isRecord(value) || !isRecord(value['data'])) return null;
  return hintOf(value['data'], value['data']['requestId']);
}

/** One row of `/requests/v3`; null when no request can be made out. */
export function readChangedRequest(value: unknown): RelayHint | null {
  return isRecord(value) ? hintOf(value, value['id']) : null;
}

function hintOf(data: Record<string, unknown>, id: unknown): RelayHint | null {
  const requestIds = [id, data['supersededByRequestId']].filter(isPlain);
  const address = isRecord(data['depositAddress']) ? data['depositAddress']['address'] : null;
  const addresses = [address].filter(isPlain);
  if (requestIds.length === 0 && addresses.length === 0) return null;
  const updatedAt = readInstant(data['updatedAt']);
  const what = [...requestIds, ...addresses, data['status'], updatedAt?.getTime()];
  return { requestIds, addresses, updatedAt, key: updatedAt === null ? null : JSON.stringify(what) };
}

function isPlain(value: unknown): value is string {
  return typeof value === 'string' && PLAIN.test(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
