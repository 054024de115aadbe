import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { networkOf } from '../../platform/http/client-address.ts';
import { type KnownKey, KnownKeys } from '../../ports/api-keys.ts';
import { Timers } from '../../ports/timers.ts';
import { SignInRate } from './sign-in-rate.ts';
import { WrongTries } from './wrong-tries.ts';

/** The next try comes too early, after wrong ones or after many right ones. */
export class TooManySignIns extends Error {
  readonly code = 'too_many_sign_ins';
  constructor(
    readonly retryAfterMs: number,
    what = 'There were too many wrong API keys',
  ) {
    super(`${what}. Wait before the next try, as long as Retry-After says.`);
  }

  get seconds(): number {
    return Math.max(1, Math.ceil(this.retryAfterMs / 1_000));
  }
}

/**
 * Checks the key of a sign-in, and slows down wrong ones: those of an address, and those with one and the same key from
 * anywhere. A right key is refused only for the tries of its own address, and when it signs in too often.
 */
@Injectable()
export class SignInThrottle {
  private readonly ofAddress: WrongTries;
  private readonly ofKey: WrongTries;
  private readonly rate: SignInRate;

  constructor(
    private readonly keys: KnownKeys,
    timers: Timers,
  ) {
    this.ofAddress = new WrongTries(timers);
    this.ofKey = new WrongTries(timers);
    this.rate = new SignInRate(timers);
  }

  /** The key; null when it is not known. Throws TooManySignIns, before the key is looked at, and StoreUnavailable. */
  async keyOf(secret: string, address: string): Promise<KnownKey | null> {
    const network = networkOf(address);
    const waitMs = this.ofAddress.waitMs(network);
    if (waitMs > 0) throw new TooManySignIns(waitMs);
    this.ofAddress.begin(network);
    let isWrong = false;
    try {
      const key = await this.keys.keyOf(secret);
      isWrong = key === null;
      if (key === null) this.noteWrong(secret);
      else this.noteRight(key);
      return key;
    } finally {
      this.ofAddress.end(network, isWrong);
    }
  }

  private noteRight(key: KnownKey): void {
    const waitMs = this.rate.take(key.hash.toString('hex'));
    if (waitMs > 0) throw new TooManySignIns(waitMs, 'This API key has signed in too often');
  }

  private noteWrong(secret: string): void {
    const digest = createHash('sha256').update(secret).digest('base64');
    const waitMs = this.ofKey.waitMs(digest);
    if (waitMs > 0) throw new TooManySignIns(waitMs);
    this.ofKey.end(digest, true);
  }
}
