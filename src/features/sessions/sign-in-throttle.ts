import { Injectable } from '@nestjs/common';

import { type KnownKey, SentKeys } from '../../ports/api-keys.ts';
import { Timers } from '../../ports/timers.ts';

/** This key has signed in too often. */
export class TooManySignIns extends Error {
  readonly code = 'too_many_sign_ins';
  constructor(readonly retryAfterMs: number) {
    super('This API key has signed in too often. Wait before the next try, as long as Retry-After says.');
  }
}

/** Checks the key of a sign-in, as that of any request, and how often it signs in. */
@Injectable()
export class SignInThrottle {
  private readonly rate: SignInRate;

  constructor(
    private readonly keys: SentKeys,
    timers: Timers,
  ) {
    this.rate = new SignInRate(timers);
  }

  /** The key; null when it is not known. Throws TooManyWrongKeys, TooManySignIns and StoreUnavailable. */
  async keyOf(secret: string, address: string | null): Promise<KnownKey | null> {
    const key = await this.keys.keyOf(secret, address);
    const waitMs = key === null ? 0 : this.rate.take(key.hash.toString('hex'));
    if (waitMs > 0) throw new TooManySignIns(waitMs);
    return key;
  }
}

/** The sign-ins of one key that may follow each other at once. */
const IN_A_ROW = 60;
/** Each of them is made good after this time. */
const ONE_EACH_MS = 60_000;

/**
 * How often each API key may sign in at this process. Every sign-in adds to the audit log, which no user can empty: a key that
 * signs in without end must not fill the disk.
 */
export class SignInRate {
  /** By key: when all its sign-ins are made good. */
  private readonly restoredAt = new Map<string, number>();

  constructor(private readonly timers: Timers) {}

  /** Counts a sign-in of this key. Otherwise, how many milliseconds it has to wait. */
  take(keyHash: string): number {
    const now = this.timers.nowMs();
    for (const [key, at] of this.restoredAt) if (at <= now) this.restoredAt.delete(key);
    const from = this.restoredAt.get(keyHash) ?? now;
    const waitMs = from - now - (IN_A_ROW - 1) * ONE_EACH_MS;
    if (waitMs > 0) return waitMs;
    this.restoredAt.set(keyHash, from + ONE_EACH_MS);
    return 0;
  }
}
