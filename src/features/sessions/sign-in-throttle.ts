import { Injectable } from '@nestjs/common';

import { RequestRate } from '../../platform/http/request-rate.ts';
import { type KnownKey, SentKeys } from '../../ports/api-keys.ts';
import { Timers } from '../../ports/timers.ts';

/** This key has signed in too often. */
export class TooManySignIns extends Error {
  readonly code = 'too_many_sign_ins';
  constructor(readonly retryAfterMs: number) {
    super('This API key has signed in too often. Wait before the next try, as long as Retry-After says.');
  }
}

/** Every sign-in adds to the audit log, which no user can empty: a key that signs in without end must not fill the disk. */
const OF_KEY = { inARow: 60, oneEachMs: 60_000 };

/** Checks the key of a sign-in like that of any request, and how often it signs in. */
@Injectable()
export class SignInThrottle {
  private readonly rate: RequestRate;

  constructor(
    private readonly keys: SentKeys,
    timers: Timers,
  ) {
    this.rate = new RequestRate(timers, OF_KEY);
  }

  /** The key; null when it is not known. Throws TooManyWrongKeys, TooManySignIns and StoreUnavailable. */
  async keyOf(secret: string, address: string | null): Promise<KnownKey | null> {
    const key = await this.keys.keyOf(secret, address);
    const waitMs = key === null ? 0 : this.rate.take(key.hash.toString('hex'));
    if (waitMs > 0) throw new TooManySignIns(waitMs);
    return key;
  }
}
