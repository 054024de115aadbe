import { randomUUID } from 'node:crypto';

import type { Clock } from '../../../src/ports/clock.ts';
import { Idempotency, type IdempotencyBegin, type IdempotencyClaim } from '../../../src/ports/idempotency.ts';

interface Held {
  readonly bodyHash: string;
  readonly token: string;
  readonly heldUntilMs: number;
  readonly createdAtMs: number;
  quoteText: string | null;
}

const DAY_MS = 86_400_000;

/** Idempotency in memory. */
export class FakeIdempotency extends Idempotency {
  begins = 0;
  /** The next `begin` finds the payment of its quote removed. */
  isRemoved = false;
  private readonly held = new Map<string, Held>();

  constructor(private readonly clock: Clock) {
    super();
  }

  async begin(scope: string, key: string, bodyHash: string, leaseMs: number): Promise<IdempotencyBegin> {
    this.begins += 1;
    if (this.isRemoved) return { kind: 'removed' };
    const nowMs = this.clock.now().getTime();
    const held = this.held.get(placeOf({ scope, key }));
    if (held !== undefined && nowMs - held.createdAtMs < DAY_MS) {
      if (held.bodyHash !== bodyHash) return { kind: 'mismatch' };
      if (held.quoteText !== null) return { kind: 'done', quoteText: held.quoteText };
      if (nowMs < held.heldUntilMs) return { kind: 'busy' };
    }
    const token = randomUUID();
    const heldUntilMs = nowMs + leaseMs;
    this.held.set(placeOf({ scope, key }), {
      bodyHash,
      token,
      heldUntilMs,
      createdAtMs: nowMs,
      quoteText: null,
    });
    return { kind: 'claimed', claim: { scope, key, token } };
  }

  async release(claim: IdempotencyClaim): Promise<void> {
    const held = this.held.get(placeOf(claim));
    if (held?.token === claim.token && held.quoteText === null) this.held.delete(placeOf(claim));
  }

  async removeExpired(): Promise<number> {
    const oldestMs = this.clock.now().getTime() - DAY_MS;
    const old = [...this.held].filter(([, held]) => held.createdAtMs < oldestMs);
    for (const [place] of old) this.held.delete(place);
    return old.length;
  }

  /** What the store does in the transaction that adds the payment. */
  complete(claim: IdempotencyClaim, quoteText: string): void {
    const held = this.held.get(placeOf(claim));
    if (held?.token === claim.token) held.quoteText = quoteText;
  }
}

function placeOf({ scope, key }: { scope: string; key: string }): string {
  return JSON.stringify([scope, key]);
}
