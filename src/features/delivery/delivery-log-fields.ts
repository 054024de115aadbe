import { endpointName, loggedDescription, loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import type { DueDelivery } from '../../ports/deliveries.ts';

/** `payment.created #1 of 5659… (order A-17) to 0a8c… ("shop EU")`: a delivery in a log line. */
export function deliveryName(delivery: DueDelivery, description: string | null): string {
  const { type, sequence, quoteId, orderId, destinationId } = delivery;
  return `${type} #${sequence} of ${quoteId}${ofOrder(orderId)} to ${endpointName(destinationId, description)}`;
}

/** The fields of the same log line, for searching the log. */
export function deliveryFields(delivery: DueDelivery, description: string | null): Record<string, unknown> {
  const { type, sequence, quoteId, orderId, destinationId, id } = delivery;
  return {
    deliveryId: id,
    type,
    sequence,
    quoteId,
    ...(orderId === null ? {} : { orderId: loggedOrderId(orderId) }),
    endpointId: destinationId,
    ...(description === null ? {} : { description: loggedDescription(description) }),
  };
}
