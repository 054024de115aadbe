import { isMatch } from '../../domain/payment/amounts.ts';
import { STATUSES } from '../../domain/payment/status.ts';
import { isVerificationState } from '../../domain/proof/verification.ts';
import { providersIn } from '../../platform/http/known-provider.ts';
import { flagOf, wordsOf } from '../../platform/http/list-query.ts';
import { LIST_SORTS } from '../../ports/list-sort.ts';
import { needOf } from '../../domain/attention/payment-troubles.ts';
import type { PaymentConditions, PaymentFilter } from '../../ports/payments.ts';
import type { PaymentCountQuery, PaymentsQuery } from './payments-query.dto.ts';

/** The filters without the length of a page; an empty value counts as absent. */
export function filterOf(query: PaymentsQuery, providers: readonly string[]): Omit<PaymentFilter, 'limit'> {
  const [sort] = wordsOf(query.sort, LIST_SORTS);
  const { cursor } = query;
  return {
    ...conditionsOf(query, providers),
    ...(sort === undefined ? {} : { sort }),
    ...(cursor ? { cursor } : {}),
  };
}

/** An empty value counts as absent. `known` are the names of the providers. Throws InvalidField for any other name. */
export function conditionsOf(query: PaymentCountQuery, known: readonly string[]): PaymentConditions {
  const { search, status, orderId, createdAfter, createdBefore, match, verification, chain, token } = query;
  const statuses = wordsOf(status, STATUSES);
  const attention = needOf(query.attention);
  const awaitingProof = [query.awaitingProof ?? []].flat().filter((id) => id !== '');
  const providers = providersIn(query.provider, known);
  return {
    ...(statuses.length > 0 ? { statuses } : {}),
    ...(providers.length > 0 ? { providers } : {}),
    ...(search ? { search } : {}),
    ...(orderId ? { orderId } : {}),
    ...(createdAfter ? { createdAfter: new Date(createdAfter) } : {}),
    ...(createdBefore ? { createdBefore: new Date(createdBefore) } : {}),
    ...flagsOf(query),
    ...(isMatch(match) ? { match } : {}),
    ...(isVerificationState(verification) ? { verification } : {}),
    ...(attention === undefined ? {} : { attention }),
    ...(awaitingProof.length > 0 ? { awaitingProof: awaitingProof.map(Number) } : {}),
    ...(chain ? { chain: chain.trim() } : {}),
    ...(token ? { token: token.trim() } : {}),
  };
}

/** Filters for payments in trouble leave out resolved ones, unless `resolved` says otherwise; no settled payment is untold. */
function flagsOf(query: PaymentCountQuery): PaymentConditions {
  const [stalled, anomaly] = [query.stalled, query.anomaly].map(flagOf);
  const isInTrouble = stalled === true || anomaly === true;
  const flags = {
    late: flagOf(query.late),
    stalled,
    anomaly,
    undelivered: flagOf(query.undelivered),
    paidTwice: flagOf(query.paidTwice),
    resolved: flagOf(query.resolved) ?? (isInTrouble ? false : undefined),
  };
  return Object.fromEntries(Object.entries(flags).filter(([, flag]) => flag !== undefined));
}
