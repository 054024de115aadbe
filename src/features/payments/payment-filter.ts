import { STATUSES } from '../../domain/payment/status.ts';
import { DEFAULT_LIMIT, wordsOf } from '../../platform/http/list-query.ts';
import type { PaymentFilter } from '../../ports/payments.ts';
import type { PaymentsQuery } from './payments.dto.ts';

/** Converts a validated query to a filter of the list; an empty value counts as absent. */
export function filterOf(query: PaymentsQuery): PaymentFilter {
  const { status, orderId, createdAfter, createdBefore, limit, cursor } = query;
  const statuses = wordsOf(status, STATUSES);
  return {
    limit: !limit ? DEFAULT_LIMIT : Number(limit),
    ...(statuses.length > 0 ? { statuses } : {}),
    ...(orderId ? { orderId } : {}),
    ...(createdAfter ? { createdAfter: new Date(createdAfter) } : {}),
    ...(createdBefore ? { createdBefore: new Date(createdBefore) } : {}),
    ...(cursor ? { cursor } : {}),
  };
}
