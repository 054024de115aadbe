import { EXCHANGE_DESTINATION_ID, type Settlement } from '../../ports/deliveries.ts';
import type { Queries } from './database.ts';

/** Writes outcomes and makes the next of each lane due, in one round trip and one transaction. */
export async function settleDeliveries(queries: Queries, settlements: readonly Settlement[]): Promise<void> {
  await queries.query(SETTLE, [
    settlements.map(({ delivery }) => delivery.id),
    settlements.map(({ delivery }) => delivery.token),
    settlements.map(stateOf),
    settlements.map(({ outcome, retryInMs }) => (outcome.kind === 'held' ? outcome.retryInMs : retryInMs)),
    settlements.map(({ outcome }) => (outcome.kind === 'held' ? 0 : 1)),
    settlements.map(({ holdsLane }) => holdsLane),
    settlements.map(({ outcome }) => (outcome.kind === 'failed' ? outcome.failure : null)),
    settlements.map(({ outcome }) => (outcome.kind === 'held' ? null : outcome.httpStatus)),
    settlements.map(isRouted),
  ]);
}

function stateOf({ outcome, retryInMs }: Settlement): string {
  if (outcome.kind === 'delivered') return 'delivered';
  return outcome.kind === 'failed' && retryInMs === null ? 'failed' : 'pending';
}

function isRouted({ delivery, outcome }: Settlement): boolean {
  return delivery.destinationId === EXCHANGE_DESTINATION_ID && outcome.kind === 'delivered';
}

const SETTLE = `
  SELECT settle_deliveries($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::int[], $6::boolean[], $7::text[],
    $8::smallint[], $9::boolean[])`;
