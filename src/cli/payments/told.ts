import type { ApiClient, Schemas } from '../api/api-client.ts';
import { allowed } from '../api/problem.ts';
import { shortFailure } from '../../domain/story/failure-words.ts';

export type Delivery = Schemas['DeliveryAnswer'];
type Destination = Schemas['DestinationAnswer'];
type Progress = Schemas['ProgressAnswer'];
type Named = Delivery['destination'];

/** For each payment, by quote id, the destinations that lack an event, with the cause. */
export type Untold = ReadonlyMap<string, string>;

/** The longest list of ids that the API takes. */
const PAGE = 100;

const WAITS: Readonly<Record<string, string>> = {
  disabled_endpoint: 'is disabled',
  secret_unreadable: 'has an unreadable secret',
  circuit: 'is down',
  earlier_event: 'waits for an earlier event',
};

/** The destinations: an outage of one is a single cause for all payments. Null: the key's role may not see them. */
export async function readDestinations(api: ApiClient): Promise<readonly Destination[] | null> {
  const answer = await allowed(api.call('get', '/api/destinations'));
  return answer?.data.data ?? null;
}

/** Null: the key's role may not see the deliveries. */
export async function readUntold(api: ApiClient, quoteIds: readonly string[]): Promise<Untold | null> {
  const destinations = await readDestinations(api);
  if (destinations === null) return null;
  const untold = new Map<string, string>();
  for (let from = 0; from < quoteIds.length; from += PAGE) {
    const query = { quoteId: quoteIds.slice(from, from + PAGE) };
    const { data } = await api.call('get', '/api/payment-progress', { query });
    for (const progress of data.data) untold.set(progress.quoteId, untoldWords(progress, destinations));
  }
  return untold;
}

/** `shop EU refuses 500; RabbitMQ is away`, and `no receiver` where there was none. */
export function untoldWords(progress: Progress, destinations: readonly Destination[]): string {
  const { deliveries, exchange, untold } = progress;
  const sent = [...(exchange === null ? [] : [exchange]), ...deliveries];
  const missing = sent.filter(({ state }) => state !== 'delivered');
  const named = missing.map((one) => `${one.destination.name} ${causeOf(one, destinations)}`);
  // No present destination: the endpoint is deleted, or there was no receiver.
  const others = untold
    .filter(({ destination }) => !missing.some((one) => isSame(one.destination, destination)))
    .map(({ destination: { kind, name } }) => (kind === 'nobody' ? name : `${name} was not told`));
  if (sent.length === 0 && others.length === 0) return 'no receiver';
  return [...named, ...others].join('; ');
}

/**
 * Why a destination lacks an event, as words after the destination's name. An outage of the destination is the cause, whatever
 * the attempt met.
 */
export function causeOf(delivery: Delivery, destinations: readonly Destination[]): string {
  const { state, attemptCount, lastFailure, lastHttpStatus, waitingFor } = delivery;
  if (state === 'discarded') return delivery.destination.kind === 'deleted' ? 'is deleted' : 'was disabled';
  const at = destinations.find((each) => isAt(each, delivery.destination));
  if (state === 'pending' && at?.state === 'open') return downWords(at);
  if (lastFailure === null || waitingFor === 'disabled_endpoint')
    return WAITS[waitingFor ?? ''] ?? 'under way';
  const times = attemptCount > 1 ? ` ×${attemptCount}` : '';
  const end = state === 'failed' ? ', given up' : '';
  return `${shortFailure(lastFailure, lastHttpStatus)}${times}${end}`;
}

/** `is down: refuses connections`; a broker has no circuit. */
function downWords({ kind, lastFailure }: Destination): string {
  if (kind !== 'webhook') return 'is away';
  return lastFailure === null
    ? 'is down'
    : `is down: ${shortFailure(lastFailure.failure, lastFailure.httpStatus)}`;
}

/** There is only one exchange. */
export function isAt({ id, kind }: Destination, destination: Named): boolean {
  return kind === 'webhook' ? id === destination.id : kind === destination.kind;
}

function isSame(one: Named, other: Named): boolean {
  return one.id === other.id && one.kind === other.kind;
}
