import { MOST_COUNTED } from '../../ports/attention.ts';

/** A count that takes longer is given up; the list is shown without it. */
export const COUNT_WITHIN_MS = 3_000;

/** The most index entries that one count reads. */
export const MOST_READ = 2 * MOST_COUNTED;

/** The condition that no person has resolved payment `p`, word for word as in the partial indexes of indexes.ts. */
export const UNRESOLVED = 'p.resolution IS NULL';

/** The condition that a person has settled payment `p` otherwise, so that its receivers need not learn of it: see is_settled.sql. */
export const SETTLED = 'is_settled(p.resolution)';
export const UNSETTLED = `${SETTLED} IS NOT TRUE`;

const DIRECTIONS = {
  oldest: { sign: '>', end: '0', order: '' },
  newest: { sign: '<', end: '9223372036854775807', order: ' DESC' },
} as const;

/**
 * The deliveries of a destination in a state, up to the number that a count reads. The condition compares whole rows,
 * so that PostgreSQL reads the index `delivery_listed` in its own order, whatever the statistics are.
 */
export function deliveriesOf(
  destination: string,
  state: 'discarded' | 'failed' | 'pending',
  first: keyof typeof DIRECTIONS = 'oldest',
): string {
  const { sign, end, order } = DIRECTIONS[first];
  return `(
    SELECT listed.* FROM (
      SELECT destination_id, state, id, payment_id, sequence, event_position, created_at, last_failure FROM delivery
      WHERE (destination_id, state, id) ${sign} (${destination}, '${state}', ${end})
      ORDER BY destination_id${order}, state${order}, id${order} LIMIT ${MOST_READ}
    ) listed WHERE listed.destination_id = ${destination} AND listed.state = '${state}'
  )`;
}
