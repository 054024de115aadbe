import { allIn, given, leftOut, wordIn, wordsIn, type Search } from '../../format/search-params.ts';
import { MATCHES, NEEDS, PROOF_STATES, STATUSES } from '../../format/words.ts';
import type { Sort } from '../../ui/sort-label.tsx';

/** How far back the list goes; the instant is computed at each request. */
export const PERIODS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type Period = keyof typeof PERIODS;

/** Facts about a payment that are filters of the list, by their API names. */
export const MARKS = ['undelivered', 'late', 'stalled', 'anomaly', 'paidTwice', 'resolved'] as const;
export type Mark = (typeof MARKS)[number];

/** The filters of the list, as in the address. */
export interface PaymentsSearch {
  readonly search?: string | undefined;
  readonly status?: readonly (typeof STATUSES)[number][] | undefined;
  readonly provider?: readonly string[] | undefined;
  readonly orderId?: string | undefined;
  readonly undelivered?: 'true' | 'false' | undefined;
  readonly late?: 'true' | 'false' | undefined;
  readonly stalled?: 'true' | 'false' | undefined;
  readonly anomaly?: 'true' | 'false' | undefined;
  readonly paidTwice?: 'true' | 'false' | undefined;
  readonly resolved?: 'true' | 'false' | undefined;
  /** Payments of one card of Attention. */
  readonly attention?: (typeof NEEDS)[number] | undefined;
  /** The ids of chains. */
  readonly awaitingProof?: readonly string[] | undefined;
  readonly match?: (typeof MATCHES)[number] | undefined;
  readonly verification?: (typeof PROOF_STATES)[number] | undefined;
  readonly chain?: string | undefined;
  readonly token?: string | undefined;
  readonly last?: Period | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** The order; left out: the newest come first. */
  readonly sort?: Sort;
}

export function readPaymentsSearch(search: Search): PaymentsSearch {
  return given(filtersIn(search));
}

/** Sentences about the words of an address that are no filter. */
export function leftOutOfPayments(search: object): string[] {
  return leftOut(search, readPaymentsSearch(search as Search), Object.keys(filtersIn({})));
}

function filtersIn(search: Search): PaymentsSearch {
  const mark = (name: Mark): 'true' | 'false' | undefined => wordsIn(search, name, ['true', 'false'])?.[0];
  return {
    search: wordIn(search, 'search'),
    status: wordsIn(search, 'status', STATUSES),
    provider: allIn(search, 'provider'),
    orderId: wordIn(search, 'orderId'),
    undelivered: mark('undelivered'),
    late: mark('late'),
    stalled: mark('stalled'),
    anomaly: mark('anomaly'),
    paidTwice: mark('paidTwice'),
    resolved: mark('resolved'),
    attention: wordsIn(search, 'attention', NEEDS)?.[0],
    awaitingProof: allIn(search, 'awaitingProof'),
    match: wordsIn(search, 'match', MATCHES)?.[0],
    verification: wordsIn(search, 'verification', PROOF_STATES)?.[0],
    chain: wordIn(search, 'chain'),
    token: wordIn(search, 'token'),
    last: wordsIn(search, 'last', Object.keys(PERIODS) as Period[])?.[0],
    createdAfter: wordIn(search, 'createdAfter'),
    createdBefore: wordIn(search, 'createdBefore'),
    sort: wordsIn(search, 'sort', ['oldest'])?.[0],
  };
}

/** The filters in the API's form. */
export function queryOf({ last, ...filters }: PaymentsSearch, now: number): Record<string, unknown> {
  if (last === undefined) return filters;
  return { ...filters, createdAfter: new Date(now - PERIODS[last]).toISOString() };
}

/** The number of filters; the order does not count. */
export function filterCount({ sort: _sort, ...filters }: PaymentsSearch): number {
  return Object.keys(filters).length;
}

/** Two filters are equal if they have the same text in the address. */
export function sameSearch(one: PaymentsSearch, other: PaymentsSearch): boolean {
  const text = (search: PaymentsSearch): string =>
    JSON.stringify(Object.entries(search).sort(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}
