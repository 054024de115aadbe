import type { RelayAnswer, RelayApi } from '../relay-api.ts';
import { isRecord, readInstant } from '../../../domain/payment/reading.ts';
import type { CheckList } from '../../shared/check-list.ts';
import { isSame, readRequests, type SampleQuote } from './relay-samples.ts';

/** Unpaid quotes of this check. */
export interface AskedQuotes {
  readonly first: SampleQuote;
  readonly second: SampleQuote | null;
}

type Api = Pick<RelayApi, 'get'>;

const BEFORE_DEPOSIT = new Set(['waiting', 'unknown']);
const CHANGES_SINCE_MS = 600_000;

/** Checks whether the deposit address is open or strict. Returns null, or an unusable answer. */
export async function checkType(
  api: Api,
  list: CheckList,
  { first }: AskedQuotes,
): Promise<RelayAnswer | null> {
  const answer = await api.get(`/deposit-addresses/v1?requestId=${encodeURIComponent(first.requestId)}`);
  const type = answer.kind === 'json' && isRecord(answer.value) ? answer.value['type'] : null;
  if (typeof type !== 'string') return answer;
  if (type === 'strict') list.ok('deposit address', 'strict: for one order and one deposit');
  else
    list.differs('deposit address', `${type}: further deposits to it are filled, as requests of their own`);
  return null;
}

export async function checkOneRequest(
  api: Api,
  list: CheckList,
  { first }: AskedQuotes,
): Promise<RelayAnswer | null> {
  const answer = await api.get(`/intents/status/v3?requestId=${encodeURIComponent(first.requestId)}`);
  const status = answer.kind === 'json' && isRecord(answer.value) ? answer.value['status'] : null;
  if (typeof status !== 'string') return answer;
  const words = `before a deposit: ${status}`;
  if (BEFORE_DEPOSIT.has(status)) list.ok('status by id', words);
  else list.differs('status by id', words);
  return null;
}

/** Checks a request for several addresses: without it, a key is enough for only two dozen open payments. */
export async function checkAddresses(
  api: Api,
  list: CheckList,
  { first, second }: AskedQuotes,
): Promise<RelayAnswer | null> {
  const addresses = [first, second].flatMap((quote) => quote?.depositAddress ?? []);
  const filters = JSON.stringify([{ depositAddress: addresses }]);
  const query = new URLSearchParams({ filters, sortBy: 'updatedAt', sortDirection: 'desc', limit: '50' });
  const answer = await api.get(`/requests/v3?${query.toString()}`);
  const rows = answer.kind === 'json' ? readRequests(answer.value) : null;
  if (rows === null) return answer;
  const isOurs = (row: Record<string, unknown>): boolean =>
    addresses.some(
      (address) => isRecord(row['depositAddress']) && isSame(row['depositAddress']['address'], address),
    );
  const words = [...new Set(rows.map(({ status }) => String(status)))].join(', ');
  const shown = rows.length === 0 ? 'nothing is listed' : `listed as ${words}`;
  if (rows.every(isOurs))
    list.ok('status by address', `several in one request; before a deposit ${shown}`, true);
  else list.differs('status by address', 'requests of other addresses are listed too', true);
  return null;
}

/** Asks for the requests of the key, which Relay shows only to that key. */
export async function checkKey(api: Api, list: CheckList, apiKey: string): Promise<RelayAnswer | null> {
  const answer = await readChanges(api, apiKey);
  if (answer.kind === 'credentials' || answer.kind === 'unavailable') return answer;
  list.ok('key', 'accepted', true);
  return null;
}

/** Checks the list that the reconciler reads. Polling works without it, too. */
export async function checkChanges(api: Api, list: CheckList, apiKey: string): Promise<RelayAnswer | null> {
  const answer = await readChanges(api, apiKey);
  const rows = answer.kind === 'json' ? readRequests(answer.value) : null;
  if (rows === null) return answer;
  const times = rows.map((row) => readInstant(row['updatedAt'])?.getTime() ?? 0);
  const isInOrder = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0));
  if (isInOrder) list.ok('list of changes', `by key and time: ${rows.length} in ten minutes`);
  else list.differs('list of changes', 'it is not ordered by time');
  return null;
}

function readChanges(api: Api, apiKey: string): Promise<RelayAnswer> {
  const startTimestamp = String(Math.floor((Date.now() - CHANGES_SINCE_MS) / 1_000));
  const query = new URLSearchParams({
    apiKey,
    sortBy: 'updatedAt',
    sortDirection: 'asc',
    startTimestamp,
    limit: '50',
  });
  return api.get(`/requests/v3?${query.toString()}`);
}
