import { type Counted, MOST_COUNTED } from '../../ports/attention.ts';
import type { DeliveryConditions } from '../../ports/delivery-log.ts';
import type { Queries } from '../../ports/queries.ts';
import {
  ALL_ENDPOINTS,
  deliveriesOfPayments,
  isListed,
  ONE_ENDPOINT,
  parametersOf,
  resolved,
} from './list-deliveries.ts';

/** One more shows that there are more. */
const MOST = MOST_COUNTED + 1;

export async function countDeliveries(queries: Queries, given: DeliveryConditions): Promise<Counted> {
  const conditions = await resolved(queries, given);
  const [row] = await queries.query<{ count: number }>(statementOf(conditions), parametersOf(conditions));
  const count = row?.count ?? 0;
  return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED };
}

function statementOf(conditions: DeliveryConditions): string {
  const { endpointId, quoteId, orderId } = conditions;
  if (quoteId !== undefined || orderId !== undefined)
    return `SELECT count(*)::int AS count FROM (${deliveriesOfPayments(conditions)} LIMIT ${MOST}) d`;
  return ofGroups(endpointId === undefined ? ALL_ENDPOINTS : ONE_ENDPOINT, conditions);
}

/** Endpoint by endpoint and state by state, from the index on these. */
function ofGroups(known: string, conditions: DeliveryConditions): string {
  return `
    WITH RECURSIVE ${known}
    SELECT count(*)::int AS count FROM (
      SELECT FROM known k, unnest($1::text[]) AS s (state), LATERAL (
        SELECT FROM delivery d WHERE d.destination_id = k.destination_id AND d.state = s.state ORDER BY d.id LIMIT ${MOST}) g
      WHERE ${isListed(conditions, 'k')} LIMIT ${MOST}) d`;
}
