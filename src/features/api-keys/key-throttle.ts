import { Injectable, Logger } from '@nestjs/common';

import { networkOf } from '../../platform/http/client-address.ts';
import { KnownKeys, SentKeys, type KnownKey } from '../../ports/api-keys.ts';
import { Timers } from '../../ports/timers.ts';
import { WrongKeys } from '../../ports/wrong-keys.ts';
import { EnvKeys, hashOf } from './env-keys.ts';
import { FORGOTTEN_AFTER_MS, WAITS_MS, WrongTries } from './wrong-tries.ts';

/** The clients whose proxy names no address. */
const UNKNOWN = 'unknown';
/** The delay after which replicas learn about wrong keys. */
const TELL_AFTER_MS = 250;
/** How many networks are announced together; the tries of further networks count at this replica only. */
const MAX_TOLD = 1_000;
const MAX_TRUSTED = 10_000;

/** Too many wrong keys came from this address, or this key was tried too often. */
export class TooManyWrongKeys extends Error {
  readonly code = 'too_many_wrong_keys';
  constructor(readonly retryAfterMs: number) {
    super('There were too many wrong API keys. Wait before the next try, as long as Retry-After says.');
  }
}

/**
 * Finds the keys that clients send, and slows down wrong ones: all from one address, and one key from any address. Right keys
 * are accepted meanwhile. Only a short key that was not used from this network before has to wait: the time of the answer must
 * not reveal that a guess is right.
 */
@Injectable()
export class KeyThrottle extends SentKeys {
  private readonly log = new Logger(KeyThrottle.name);
  private readonly ofNetwork: WrongTries;
  private readonly ofKey: WrongTries;
  /** Networks that have used a short key, each with the key's hash. */
  private readonly trusted = new Set<string>();
  private toTell = new Map<string, number>();
  /** For each network, resolves when all of its keys in progress are judged. */
  private readonly judged = new Map<string, Promise<unknown>>();

  constructor(
    private readonly keys: KnownKeys,
    private readonly envKeys: EnvKeys,
    private readonly wrongKeys: WrongKeys,
    private readonly timers: Timers,
  ) {
    super();
    this.ofNetwork = new WrongTries(timers);
    this.ofKey = new WrongTries(timers);
  }

  /** Throws TooManyWrongKeys, and StoreUnavailable. */
  override async keyOf(secret: string, address: string | null): Promise<KnownKey | null> {
    const network = address === null ? UNKNOWN : networkOf(address);
    if (this.envKeys.shortNames.length === 0) return this.judge(secret, network);
    const earlier = this.judged.get(network);
    const key = this.judge(secret, network, earlier);
    const all = Promise.allSettled([earlier, key]);
    this.judged.set(network, all);
    void all.then(() => this.judged.get(network) === all && this.judged.delete(network));
    return key;
  }

  /**
   * `earlier` resolves when the earlier keys of the network are judged. A short key that is not trusted yet waits for that:
   * looking up a guess takes longer.
   */
  private async judge(secret: string, network: string, earlier?: Promise<unknown>): Promise<KnownKey | null> {
    const hash = hashOf(secret).toString('hex');
    const [found] = await Promise.allSettled([this.keys.keyOf(secret)]);
    const key = found.status === 'fulfilled' ? found.value : null;
    // Whether the key is wrong is not known. If there is a short key, the try counts: otherwise the short key could be
    // guessed meanwhile.
    if (found.status === 'rejected' && this.envKeys.shortNames.length === 0) throw found.reason as Error;
    if (key?.isShort === true && !this.trusted.has(`${network} ${hash}`)) await earlier;
    const waitMs = Math.max(this.ofNetwork.waitMs(network), this.ofKey.waitMs(hash));
    if (key !== null && this.isAccepted(key, `${network} ${hash}`, waitMs)) return key;
    if (waitMs > 0) throw new TooManyWrongKeys(waitMs);
    this.count(network, hash);
    if (found.status === 'rejected') throw found.reason as Error;
    return null;
  }

  private isAccepted({ isShort = false }: KnownKey, pair: string, waitMs: number): boolean {
    if (!isShort || this.trusted.has(pair)) return true;
    if (waitMs > 0) return false;
    if (this.trusted.size < MAX_TRUSTED) this.trusted.add(pair);
    return true;
  }

  private count(network: string, hash: string): void {
    this.ofNetwork.addTry(network);
    this.ofKey.addTry(hash);
    if (this.toTell.size === 0) this.timers.after(TELL_AFTER_MS, () => void this.tell());
    if (this.toTell.size < MAX_TOLD || this.toTell.has(network))
      this.toTell.set(network, (this.toTell.get(network) ?? 0) + 1);
  }

  /** Adds this replica's tries to the common count, and reads those of the other replicas. */
  private async tell(): Promise<void> {
    const told = this.toTell;
    this.toTell = new Map();
    try {
      const keptMs = WAITS_MS.map((waitMs) => waitMs + FORGOTTEN_AFTER_MS);
      const totals = await this.wrongKeys.addTries(told, keptMs);
      for (const [network, wrong] of totals) this.ofNetwork.learn(network, wrong);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.log.debug(`wrong keys count at this replica alone: ${reason}`);
    }
  }
}
