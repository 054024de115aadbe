import { ApiProperty } from '@nestjs/swagger';

import { isSearch, MAX_SEARCH } from '../../domain/payment/search.ts';
import { STATUSES } from '../../domain/payment/status.ts';
import { isMatch, MATCHES } from '../../domain/payment/amounts.ts';
import { isVerificationState, VERIFICATION_STATES } from '../../domain/proof/verification.ts';
import {
  IfGiven,
  MustBeWords,
  PageCursor,
  PageLimit,
  PageSort,
  Repeatable,
} from '../../platform/http/list-query.ts';
import { NEED_CODES } from '../../domain/attention/payment-troubles.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { FilterFlag, FilterOrderId, FilterProviders, FilterTime } from '../../platform/http/list-filters.ts';

const MAX_CHAIN = 100;
const NEEDS = Object.values(NEED_CODES);
const CHAIN_ID = /^[0-9]{1,15}$/;
const MAX_CHAINS = 50;

function isChain(value: unknown): boolean {
  return isSearch(value) && value.length <= MAX_CHAIN;
}

function areChainIds(value: unknown): boolean {
  const ids = [value].flat();
  return ids.length <= MAX_CHAINS && ids.every((id) => typeof id === 'string' && CHAIN_ID.test(id));
}

/** Which payments are counted: the filters of their list. */
export class PaymentCountQuery {
  /** Only payments in this status; a repeated parameter allows any of several. */
  @ApiProperty({ required: false, isArray: true, enum: STATUSES, maxItems: STATUSES.length })
  @IfGiven()
  @Repeatable()
  @MustBeWords(STATUSES)
  status?: string | string[];

  /** Only payments of this provider, by its name, also where PROVIDER no longer has it; a repeated parameter allows any of several. */
  @FilterProviders()
  provider?: string | string[];

  @FilterOrderId()
  orderId?: string;

  /**
   * Only payments with this id, address, transaction or amount: quote id, order id (by its beginning, in any case of any script),
   * deposit, recipient or refund address, transaction, Relay's request id, an amount that is sent or received. Values of quote
   * and report are found by their beginning too, from 6 hexadecimal digits or 8 other characters on. UUIDs and EVM addresses
   * match in any case, base58 exactly. Pages before the last may have fewer than
   * `limit`.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: MAX_SEARCH })
  @IfGiven()
  @MustBe(
    `a string of 1 to ${MAX_SEARCH} characters without control, separating or direction characters`,
    isSearch,
  )
  search?: string;

  /** Only payments created at this instant or after it. */
  @FilterTime()
  createdAfter?: string;

  /** Only payments created before this instant (exclusive): adjacent windows share no payment. */
  @FilterTime()
  createdBefore?: string;

  /** Only payments whose status has changed after they had expired or failed; `false`: only other payments. */
  @FilterFlag()
  late?: string;

  /** Only payments with a stall that has not ended; without `resolved`, only unresolved ones. */
  @FilterFlag()
  stalled?: string;

  /** Only payments with a wrong sum or a contradiction of the provider; without `resolved`, only unresolved ones. */
  @FilterFlag()
  anomaly?: string;

  /** Only payments of an order that was paid more than once, until all but one are resolved as a duplicate. */
  @FilterFlag()
  paidTwice?: string;

  /**
   * Only payments with an event older than 30 s that a destination has not acknowledged, for whatever reason. Leaves out
   * resolved ones, but not released ones. Pages may have fewer than `limit`.
   */
  @FilterFlag()
  undelivered?: string;

  /**
   * Only payments that need a person, and that stand in this item of `GET /api/attention`. Each payment stands in the item of
   * its first need.
   */
  @ApiProperty({ required: false, enum: NEEDS })
  @IfGiven()
  @MustBe(`one of ${NEEDS.join(', ')}`, (value) => NEEDS.some((need) => need === value))
  attention?: string;

  /** Only payments that wait for a proof on this chain, by its id; repeated, on any of these. Leaves out resolved ones. */
  @ApiProperty({ required: false, isArray: true, type: String, maxItems: MAX_CHAINS, example: ['8453'] })
  @IfGiven()
  @Repeatable()
  @MustBe(`ids of chains, up to ${MAX_CHAINS}`, areChainIds)
  awaitingProof?: string | string[];

  /** Only payments that a person has resolved and whose status has not changed since; `false`: only other payments. */
  @FilterFlag()
  resolved?: string;

  /**
   * Only payments whose deposit compares in this way with the requested sum; `unknown`: the provider does not state one of
   * them.
   */
  @ApiProperty({ required: false, enum: MATCHES })
  @IfGiven()
  @MustBe(`one of ${MATCHES.join(', ')}`, isMatch)
  match?: string;

  /** Only payments whose output is in this state: the chain shows it, contradicts it, or has not shown it. */
  @ApiProperty({ required: false, enum: VERIFICATION_STATES })
  @IfGiven()
  @MustBe(`one of ${VERIFICATION_STATES.join(', ')}`, isVerificationState)
  verification?: string;

  /**
   * Only payments from or to this chain: its id, such as `8453`, or its name in any case. Pages before the last may have
   * fewer than `limit`, or even none.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: MAX_CHAIN })
  @IfGiven()
  @MustBe(`the id or the name of a chain: a string of 1 to ${MAX_CHAIN} visible characters`, isChain)
  chain?: string;

  /**
   * Only payments from or to this token: its symbol in any case, or its address. Pages before the last may have fewer than
   * `limit`, or even none.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: MAX_SEARCH })
  @IfGiven()
  @MustBe(`the symbol or the address of a token: a string of 1 to ${MAX_SEARCH} visible characters`, isSearch)
  token?: string;
}

/** Which payments are listed, in which order, and how many. */
export class PaymentsQuery extends PaymentCountQuery {
  /** The order by creation: the newest first, or the oldest. */
  @PageSort()
  sort?: string;

  /** The length of a page. With `Accept: text/csv`, the length of the whole file, which otherwise has all payments. */
  @PageLimit()
  limit?: string;

  /** `nextCursor` of the page before. */
  @PageCursor()
  cursor?: string;
}
