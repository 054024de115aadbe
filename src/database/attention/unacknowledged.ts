import { FAILING_NEEDS_PERSON_AFTER_MS } from '../../domain/delivery/endpoint-state.ts';
import { isPaid, STATUSES } from '../../domain/payment/status.ts';
import { type EndpointTrouble, MOST_COUNTED, type PaymentSums } from '../../ports/attention.ts';
import type { Queries } from '../../ports/queries.ts';
import { deliveriesOf, MOST_READ, UNSETTLED } from '../deliveries/bounded-reading.ts';
import { NO_PAYMENTS, readSums, sumsOfFound } from './payment-sums.ts';

const PAID = STATUSES.filter(isPaid);

/** The conditions for an endpoint `x` with its circuit `c`. A failure that lasted a moment is no trouble yet. */
export const TROUBLED: Readonly<Record<EndpointTrouble, string>> = {
  disabled: 'NOT x.enabled',
  failing: `x.enabled AND (c.state = 'open' OR (endpoint_state(x.id) = 'failing'
    AND coalesce(c.failing_since, '-infinity') <= now() - interval '${FAILING_NEEDS_PERSON_AFTER_MS} milliseconds'))`,
};

/**
 * Paid payments whose newest event went to these endpoints (or would have, had they been enabled) and was acknowledged
 * by no destination.
 */
export async function readUnacknowledged(
  queries: Queries,
  trouble: EndpointTrouble | null,
  withinMs: number,
): Promise<PaymentSums> {
  if (trouble === null) return NO_PAYMENTS;
  return readSums(queries, UNACKNOWLEDGED[trouble], [PAID], withinMs);
}

/** Pending and given-up deliveries at the endpoints, and the events that a disabled endpoint was not sent. */
const OWED = `
  SELECT d.payment_id, d.sequence, d.event_position FROM troubled x
  CROSS JOIN LATERAL (${(['pending', 'failed', 'discarded'] as const).map((state) => deliveriesOf('x.id', state, 'newest')).join(' UNION ALL ')}) d
  LIMIT ${MOST_READ}`;

function unacknowledged(trouble: EndpointTrouble): string {
  return `
    WITH troubled AS MATERIALIZED (
      SELECT x.id FROM destination x LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
      WHERE x.kind = 'webhook' AND ${TROUBLED[trouble]}
    ), news AS MATERIALIZED (${OWED}
    ), found AS MATERIALIZED (
      SELECT DISTINCT p.id FROM news n
      JOIN payment p ON p.id = n.payment_id AND p.sequence = n.sequence AND p.status = ANY ($1) AND ${UNSETTLED}
      WHERE NOT EXISTS (
        SELECT FROM delivery o WHERE o.event_position = n.event_position AND o.state = 'delivered')
      LIMIT ${MOST_COUNTED + 1}
    ), ${sumsOfFound(`(SELECT count(*) FROM news) >= ${MOST_READ}`)}`;
}

const UNACKNOWLEDGED: Readonly<Record<EndpointTrouble, string>> = {
  disabled: unacknowledged('disabled'),
  failing: unacknowledged('failing'),
};
