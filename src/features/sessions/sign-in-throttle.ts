import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { networkOf } from '../../platform/http/client-address.ts';
import { type KnownKey, KnownKeys } from '../../ports/api-keys.ts';
import { Timers } from '../../ports/timers.ts';
import { WrongTries } from './wrong-tries.ts';

/** The next try comes too early after wrong ones. */
export class TooManySignIns extends Error {
  readonly code = 'too_many_sign_ins';
  constructor(readonly retryAfterMs: number) {
    super('There were too many wrong API keys. Wait before the next one, as long as Retry-After says.');
  }

  get seconds(): number {
    return Math.max(1, Math.ceil(this.retryAfterMs / 1_000));
  }
}

/**
 * Checks the key of a sign-in, and slows down wrong ones: those of an address, and those with one and the same key from
 * anywhere. A right key is refused only for the tries of its own address.
 */
@Injectable()
export class SignInThrottle {
  private readonly ofAddress: WrongTries;
  private readonly ofKey: WrongTries;

  constructor(
    private readonly keys: KnownKeys,
    timers: Timers,
  ) {
    this.ofAddress = new WrongTries(timers);
    this.ofKey = new WrongTries(timers);
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
      if (isWrong) this.noteWrong(secret);
      return key;
    } finally {
      this.ofAddress.end(network, isWrong);
    }
  }

  private noteWrong(secret: string): void {
    const digest = createHash('sha256').update(secret).digest('base64');
    const waitMs = this.ofKey.waitMs(digest);
    if (waitMs > 0) throw new TooManySignIns(waitMs);
    this.ofKey.end(digest, true);
  }
}
