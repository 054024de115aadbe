import { timingSafeEqual } from 'node:crypto';

import { Injectable, Logger } from '@nestjs/common';

import { ApiKeys, KnownKeys, type KnownKey, type StoredKey } from '../../ports/api-keys.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { Timers } from '../../ports/timers.ts';
import { EnvKeys, hashOf } from './env-keys.ts';

/** A removed key stops working within this time. */
const FRESH_MS = 2_000;
/** Unknown keys cause at most one reload within this time. */
const RELOAD_GAP_MS = 1_000;
const RELOAD_TIMEOUT_MS = 2_000;

/**
 * Finds an API key by its secret or its hash. While the database is down, the keys of API_KEYS and those already read keep
 * working. For any other key it throws StoreUnavailable: a client might give up for good after being told that its key is
 * wrong.
 */
@Injectable()
export class ApiKeyVerifier extends KnownKeys {
  private readonly log = new Logger(ApiKeyVerifier.name);
  private stored: readonly KnownKey[] = [];
  private loadedAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<void> | null = null;
  /** Counts changes announced to this process: a read that began before a change may miss it. */
  private told = 0;

  constructor(
    private readonly envKeys: EnvKeys,
    private readonly apiKeys: ApiKeys,
    private readonly timers: Timers,
  ) {
    super();
  }

  override keyOf(secret: string): Promise<KnownKey | null> {
    return this.keyWhere(hasHash(hashOf(secret)));
  }

  override keyOfHash(hash: string): Promise<KnownKey | null> {
    return this.keyWhere(hasHash(Buffer.from(hash, 'hex')));
  }

  override async isStillKnown(hash: string): Promise<boolean> {
    const isRight = hasHash(Buffer.from(hash, 'hex'));
    if (find(this.envKeys.keys, isRight) !== null) return true;
    if (this.ageOf(this.loadedAt) >= FRESH_MS) await this.reload();
    if (this.ageOf(this.loadedAt) >= FRESH_MS) throw new StoreUnavailable();
    return find(this.stored, isRight) !== null;
  }

  override async keyWhere(isRight: (key: KnownKey) => boolean): Promise<KnownKey | null> {
    const inEnv = find(this.envKeys.keys, isRight);
    if (inEnv !== null) return inEnv;
    if (this.ageOf(this.loadedAt) >= FRESH_MS) await this.reload();
    const known = find(this.stored, isRight);
    if (known !== null) return known;
    await this.reload();
    const found = find(this.stored, isRight);
    if (found === null && this.loadedAt < this.triedAt) throw new StoreUnavailable();
    return found;
  }

  /** Makes a key known to this process at once, without waiting for the next reload. */
  remember(key: KnownKey): void {
    this.told += 1;
    this.stored = [...this.stored, key];
  }

  /** Forgets a revoked key at once; other replicas do so within 2 s. */
  forget(name: string): void {
    this.told += 1;
    this.stored = this.stored.filter((key) => key.name !== name);
  }

  private async reload(): Promise<void> {
    if (this.loading === null && this.ageOf(this.triedAt) < RELOAD_GAP_MS) return;
    this.loading ??= this.load().finally(() => {
      this.loading = null;
    });
    await settledWithin(this.loading, RELOAD_TIMEOUT_MS);
  }

  private async load(): Promise<void> {
    const triedAt = this.timers.nowMs();
    this.triedAt = triedAt;
    try {
      const rows = await this.readRows();
      this.stored = rows.map(({ name, hash, role }) => ({ name, hash: Buffer.from(hash, 'hex'), role }));
      this.loadedAt = triedAt;
    } catch (error) {
      this.log.debug(`API keys cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  private async readRows(): Promise<StoredKey[]> {
    for (;;) {
      const { told } = this;
      const rows = await this.apiKeys.list();
      if (told === this.told) return rows;
    }
  }

  private ageOf(at: number): number {
    return this.timers.nowMs() - at;
  }
}

/** Compares every key, even after a match, so that its duration reveals nothing about a guess. */
function find(keys: readonly KnownKey[], isRight: (key: KnownKey) => boolean): KnownKey | null {
  let found: KnownKey | null = null;
  for (const key of keys) {
    if (isRight(key)) found = key;
  }
  return found;
}

function hasHash(hash: Buffer): (key: KnownKey) => boolean {
  return (key) => key.hash.length === hash.length && timingSafeEqual(key.hash, hash);
}

async function settledWithin(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
