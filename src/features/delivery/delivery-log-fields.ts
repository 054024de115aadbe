import { loggedDescription, loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import type { DueDelivery, LoggedTarget } from '../../ports/deliveries.ts';

/** `payment.created #1 of 5659… (order A-17) to 0a8c… ("shop EU")`: a delivery in a log line. */
export function deliveryName(delivery: DueDelivery, { name }: LoggedTarget): string {
  const { type, sequence, quoteId, orderId } = delivery;
  return `${type} #${sequence} of ${quoteId}${ofOrder(orderId)} to ${name}`;
}

/** The fields of the same log line, for searching the log. */
export function deliveryFields(
  delivery: DueDelivery,
  { id: endpointId, description }: LoggedTarget,
): Record<string, unknown> {
  const { type, sequence, quoteId, orderId, id } = delivery;
  return {
    deliveryId: id,
    type,
    sequence,
    quoteId,
    ...(orderId === null ? {} : { orderId: loggedOrderId(orderId) }),
    endpointId,
    ...(description === null ? {} : { description: loggedDescription(description) }),
  };
}
