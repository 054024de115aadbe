import { randomBytes } from 'node:crypto';

import { base58 } from '@scure/base';

import { newTxHash } from '../stand-in/addresses.js';
import { chainOf } from './assets.ts';
import { depositedOf, type Life, type Order, type Word } from './order.ts';

export interface SuccessOptions {
  /** The amount that arrives instead of the quoted one. */
  readonly outRaw?: bigint;
  /** Only the word: no amounts and no hash; the API says that this amount was refunded. */
  readonly withoutOutput?: bigint;
}

const HASH_BYTES = 32;
const SECOND_MS = 1_000;

/** The moves of a swap, which the test makes; each takes a deposit address, followed by `_memo` if there is one. */
export class Lives {
  constructor(
    private readonly find: (key: string) => Order,
    private readonly now: () => number,
  ) {}

  /**
   * Money arrives and is confirmed. `raw`: the quoted amount by default. Too little waits for more; money after the deadline
   * goes back.
   */
  deposit(key: string, raw?: bigint): void {
    const order = this.find(key);
    const { life, terms, origin } = order;
    const deposit = { raw: raw ?? terms.amountIn, at: this.now(), txHash: newTxHash(chainOf(origin).form) };
    const deposits = [...life.deposits, deposit];
    const sum = deposits.reduce((total, { raw: each }) => total + each, 0n);
    const isEnded = ['SUCCESS', 'REFUNDED', 'FAILED'].includes(life.status);
    const status = sum < terms.minAmountIn ? 'INCOMPLETE_DEPOSIT' : 'PROCESSING';
    this.move(order, {
      deposits,
      originHashes: [...life.originHashes, deposit.txHash],
      ...(isEnded ? {} : { status }),
    });
  }

  /** The API knows a transaction that is not confirmed. */
  know(key: string): void {
    const order = this.find(key);
    this.move(order, { status: 'KNOWN_DEPOSIT_TX', originHashes: [newTxHash(chainOf(order.origin).form)] });
  }

  /** An unconfirmed transaction is gone. */
  forget(key: string): void {
    this.move(this.find(key), { status: 'PENDING_DEPOSIT', originHashes: [] });
  }

  /** The API's own action on a deposit that has arrived. */
  settle(key: string): void {
    const order = this.find(key);
    const { deposits } = order.life;
    if (deposits.length === 0) return;
    if (depositedOf(order) < order.terms.minAmountIn) this.refund(key, 'PARTIAL_DEPOSIT');
    else if (deposits.every(({ at }) => at > order.deadline)) this.refund(key, null);
    else this.succeed(key);
  }

  succeed(key: string, { outRaw, withoutOutput }: SuccessOptions = {}): void {
    const order = this.find(key);
    if (withoutOutput !== undefined) {
      this.move(order, { status: 'SUCCESS', amountIn: null, amountOut: null, refunded: withoutOutput });
      return;
    }
    const { terms, request, destination } = order;
    const deposited = depositedOf(order);
    const isFlexible = request.swapType === 'FLEX_INPUT';
    const used = isFlexible || deposited < terms.amountIn ? deposited : terms.amountIn;
    const amountOut = outRaw ?? (isFlexible ? (terms.amountOut * used) / terms.amountIn : terms.amountOut);
    const excess = isFlexible ? 0n : deposited - used - terms.refundFee;
    this.move(order, {
      status: 'SUCCESS',
      amountIn: used,
      amountOut,
      refunded: excess > 0n ? excess : 0n,
      destinationHashes: [newTxHash(chainOf(destination).form)],
      intentHashes: [nearHash()],
      nearHashes: [nearHash(), nearHash()],
    });
  }

  /** All of the deposit goes back, less the fee; `reason`: a refundReason of the API. */
  refund(key: string, reason: string | null): void {
    const order = this.find(key);
    const { life, terms, origin } = order;
    const left = depositedOf(order) - terms.refundFee;
    this.move(order, {
      status: 'REFUNDED',
      refunded: left > 0n ? left : 0n,
      refundReason: reason,
      originHashes: [...life.originHashes, newTxHash(chainOf(origin).form)],
    });
  }

  fail(key: string): void {
    this.move(this.find(key), { status: 'FAILED' });
  }

  /** Any word, known or not. */
  say(key: string, status: Word): void {
    this.move(this.find(key), { status });
  }

  /** Changes each answer about the channel from now on. */
  reshape(key: string, reshape: Life['reshape']): void {
    this.move(this.find(key), { reshape });
  }

  private move({ life }: Order, change: Partial<Life>): void {
    // Whole seconds, as in recorded answers after a change.
    Object.assign(life, change, { updatedAt: Math.floor(this.now() / SECOND_MS) * SECOND_MS });
  }
}

function nearHash(): string {
  return base58.encode(randomBytes(HASH_BYTES));
}
