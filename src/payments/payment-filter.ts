import { isStatus } from '../domain/status.ts';
import { DEFAULT_LIMIT } from '../http/list-query.ts';
import type { PaymentFilter } from '../ports/payments.ts';
import type { PaymentsQuery } from './payments.dto.ts';

/** A validated query as a filter of the list; an empty value counts as none. */
export function filterOf(query: PaymentsQuery): PaymentFilter {
  const { status, orderId, createdAfter, createdBefore, limit, cursor } = query;
  return {
    limit: !limit ? DEFAULT_LIMIT : Number(limit),
    ...(status && isStatus(status) ? { status } : {}),
    ...(orderId ? { orderId } : {}),
    ...(createdAfter ? { createdAfter: new Date(createdAfter) } : {}),
    ...(createdBefore ? { createdBefore: new Date(createdBefore) } : {}),
    ...(cursor ? { cursor } : {}),
  };
}
