import { randomUUID } from 'node:crypto';

import type { Clock } from '../../../src/ports/clock.ts';
import {
  Idempotency,
  IdempotencyLost,
  type IdempotencyBegin,
  type IdempotencyClaim,
} from '../../../src/ports/idempotency.ts';
import type { PaymentToAdd } from '../../../src/ports/payments.ts';

interface Held {
  readonly bodyHash: string;
  readonly token: string;
  heldUntilMs: number;
  readonly createdAtMs: number;
  quoteId: string | null;
  /** Null before the quote, and after its payment was removed. */
  quoteText: string | null;
}

const DAY_MS = 86_400_000;

/** Idempotency in memory. */
export class FakeIdempotency extends Idempotency {
  begins = 0;
  renewals = 0;
  private readonly held = new Map<string, Held>();

  constructor(private readonly clock: Clock) {
    super();
  }

  async begin(scope: string, key: string, bodyHash: string, leaseMs: number): Promise<IdempotencyBegin> {
    this.begins += 1;
    const nowMs = this.clock.now().getTime();
    const held = this.held.get(placeOf({ scope, key }));
    if (held !== undefined && nowMs - held.createdAtMs < DAY_MS) {
      if (held.bodyHash !== bodyHash) return { kind: 'mismatch' };
      const { quoteId, quoteText } = held;
      if (quoteId !== null)
        return quoteText === null ? { kind: 'removed' } : { kind: 'done', quoteId, quoteText };
      if (nowMs < held.heldUntilMs) return { kind: 'busy' };
    }
    const token = randomUUID();
    const free = { bodyHash, token, heldUntilMs: nowMs + leaseMs, createdAtMs: nowMs };
    this.held.set(placeOf({ scope, key }), { ...free, quoteId: null, quoteText: null });
    return { kind: 'claimed', claim: { scope, key, token } };
  }

  async renew(claim: IdempotencyClaim, leaseMs: number): Promise<void> {
    this.renewals += 1;
    const held = this.held.get(placeOf(claim));
    if (held?.token === claim.token) held.heldUntilMs = this.clock.now().getTime() + leaseMs;
  }

  async release(claim: IdempotencyClaim): Promise<void> {
    const held = this.held.get(placeOf(claim));
    if (held?.token === claim.token && held.quoteId === null) this.held.delete(placeOf(claim));
  }

  async removeExpired(): Promise<number> {
    const oldestMs = this.clock.now().getTime() - DAY_MS;
    const old = [...this.held].filter(([, held]) => held.createdAtMs < oldestMs);
    for (const [place] of old) this.held.delete(place);
    return old.length;
  }

  /** Does the same as the store in the transaction that adds the payment. */
  complete(claim: IdempotencyClaim, { quoteId, quoteText }: PaymentToAdd): void {
    const held = this.held.get(placeOf(claim));
    if (held?.token !== claim.token) throw new IdempotencyLost();
    Object.assign(held, { quoteId, quoteText });
  }

  /** Does the same as the removal of the quote's payment. */
  forgetQuote(quoteId: string): void {
    for (const held of this.held.values()) if (held.quoteId === quoteId) held.quoteText = null;
  }
}

function placeOf({ scope, key }: { scope: string; key: string }): string {
  return JSON.stringify([scope, key]);
}
