import { DEFAULT_LIMIT, flagOf, wordsOf } from '../../platform/http/list-query.ts';
import {
  DELIVERY_STATES,
  type DeliveryConditions,
  type DeliveryFilter,
  LISTED_DESTINATIONS,
} from '../../ports/delivery-log.ts';
import { LIST_SORTS } from '../../ports/list-sort.ts';
import type { DeliveriesQuery, DeliveryCountQuery } from './deliveries.dto.ts';

/** Converts a validated query to a filter of the list; an empty value counts as absent. */
export function filterOf(query: DeliveriesQuery): DeliveryFilter {
  const { limit, cursor } = query;
  const [sort] = wordsOf(query.sort, LIST_SORTS);
  return {
    limit: !limit ? DEFAULT_LIMIT : Number(limit),
    ...conditionsOf(query),
    ...(sort === undefined ? {} : { sort }),
    ...(cursor ? { cursor } : {}),
  };
}

export function conditionsOf(query: DeliveryCountQuery): DeliveryConditions {
  const { endpointId, quoteId, orderId } = query;
  const [destinations] = wordsOf(query.destinations, LISTED_DESTINATIONS);
  const states = wordsOf(query.state, DELIVERY_STATES);
  const resolved = flagOf(query.resolved);
  return {
    ...(endpointId ? { endpointId } : {}),
    ...(destinations === undefined ? {} : { destinations }),
    ...(quoteId ? { quoteId } : {}),
    ...(orderId ? { orderId } : {}),
    ...(states.length > 0 ? { states } : {}),
    ...(resolved === undefined ? {} : { resolved }),
  };
}
