import { DEFAULT_LIMIT, wordsOf } from '../../platform/http/list-query.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import {
  DELIVERY_STATES,
  type DeliveryDetail,
  type DeliveryFilter,
  type LoggedAttempt,
  type LoggedDelivery,
} from '../../ports/delivery-log.ts';
import type { DeliveriesQuery } from './deliveries.dto.ts';

/** A delivery as the API returns it; `DeliveryAnswer` describes it. */
export type DeliveryView = ReturnType<typeof viewOf>;
/** A delivery with its event and attempts; `DeliveryDetailAnswer` describes it. */
export type DeliveryDetailView = ReturnType<typeof detailOf>;

export function viewOf(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    quoteId: delivery.quoteId,
    orderId: delivery.orderId,
    eventId: delivery.eventId,
    type: delivery.type,
    sequence: delivery.sequence,
    state: delivery.state,
    attemptCount: delivery.attemptCount,
    createdAt: delivery.createdAt.toISOString(),
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    lastFailure: delivery.lastFailure,
    lastHttpStatus: delivery.lastHttpStatus,
    waitingFor: delivery.waitingFor,
  };
}

/** The event keeps the text that was signed. */
export function detailOf(delivery: DeliveryDetail) {
  return {
    ...viewOf(delivery),
    event: new JsonText(delivery.eventText),
    attempts: delivery.attempts.map(attemptOf),
  };
}

function attemptOf({ madeAt, excerpt, ...attempt }: LoggedAttempt) {
  const { number, durationMs, address, httpStatus, failure } = attempt;
  const body = excerpt?.toString('utf8') ?? null;
  return { number, at: madeAt.toISOString(), durationMs, address, httpStatus, failure, body };
}

/** Converts a validated query to a filter of the list; an empty value counts as absent. */
export function filterOf(query: DeliveriesQuery): DeliveryFilter {
  const { endpointId, quoteId, orderId, limit, cursor } = query;
  const states = wordsOf(query.state, DELIVERY_STATES);
  return {
    limit: !limit ? DEFAULT_LIMIT : Number(limit),
    ...(endpointId ? { endpointId } : {}),
    ...(quoteId ? { quoteId } : {}),
    ...(orderId ? { orderId } : {}),
    ...(states.length > 0 ? { states } : {}),
    ...(cursor ? { cursor } : {}),
  };
}
