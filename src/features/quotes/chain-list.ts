import { Logger } from '@nestjs/common';

import { isRecord } from '../../domain/payment/reading.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import { ProviderMisconfigured, ProviderUnavailable } from '../../ports/payment-provider.ts';
import { Timers } from '../../ports/timers.ts';
import { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';

const FRESH_MS = 300_000;
/** After a failure the stale list is served for this time, so that not every request waits for a time-out. */
const AFTER_FAILURE_MS = 10_000;
/** A failed read is repeated after this time, since the provider's health depends on it. */
const TRY_EVERY_MS = 5_000;
/** The shortest time between two reads that failures of other requests cause. */
const REQUEST_GAP_MS = 2_000;

export interface KnownChains {
  /** The provider's answer, verbatim. */
  readonly text: string;
  /** Null when the answer has no readable chain ids. */
  readonly ids: ReadonlySet<number> | null;
  readonly readAtMs: number;
}

/** One provider's chains: read at most every five minutes, and served stale while the provider is down. */
export class ChainList {
  private readonly log = new Logger(ChainList.name);
  private readonly reads = new SharedWork<KnownChains>();
  private known: KnownChains | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;
  private dueAtMs = Number.NEGATIVE_INFINITY;
  private isStopping = false;
  private loggedTrouble: string | null = null;
  /** Wakes the refresher to read the list early. */
  readonly readRequested = new WakeSignal();

  constructor(
    private readonly cell: ProviderCell,
    private readonly timers: Timers,
  ) {}

  /** Reads the list early after another request has failed, to find out whether the provider answers at all. */
  requestRead(): void {
    if (this.known === null || this.isFailing) return;
    this.dueAtMs = Math.min(this.dueAtMs, this.known.readAtMs + REQUEST_GAP_MS);
    this.readRequested.wake();
  }

  /** Reads the list when it is due; returns the milliseconds until it is due again. Never throws. */
  async refresh(): Promise<number> {
    if (this.dueInMs() <= 0) await this.readOrStale().catch(() => undefined);
    return this.dueInMs();
  }

  /** Ignores failures from now on, since the connections are being closed. */
  stop(): void {
    this.isStopping = true;
  }

  /** The list verbatim, as JSON text. Throws the provider's error if no read has ever succeeded. */
  async text(): Promise<string> {
    const chains = this.usable() ?? (await this.readOrStale());
    return chains.text;
  }

  /** The chains' ids; null without a readable list: then the provider checks the chain itself. Never throws. */
  async ids(): Promise<ReadonlySet<number> | null> {
    if (this.known === null && this.hasJustFailed()) return null;
    const chains = this.usable() ?? (await this.readOrStale().catch(() => null));
    return chains?.ids ?? null;
  }

  /** The provider's name. */
  get provider(): string {
    return this.cell.provider.name;
  }

  /** The last list, however old; null before the first read that succeeded. */
  get last(): KnownChains | null {
    return this.known;
  }

  /** Whether the provider has the chain, by its last list; null: not known. */
  supports(chainId: number): boolean | null {
    return this.known?.ids?.has(chainId) ?? null;
  }

  hasJustFailed(): boolean {
    return this.timers.nowMs() - this.failedAtMs < AFTER_FAILURE_MS;
  }

  /** Whether the last read failed. */
  get isFailing(): boolean {
    return this.failedAtMs !== Number.NEGATIVE_INFINITY;
  }

  /** Bounded, since a provider may ask for any wait. */
  private dueInMs(): number {
    return Math.min(Math.max(this.dueAtMs - this.timers.nowMs(), 0), FRESH_MS);
  }

  private usable(): KnownChains | null {
    if (this.known === null) return null;
    const isFresh = this.timers.nowMs() - this.known.readAtMs < FRESH_MS;
    return isFresh || this.hasJustFailed() ? this.known : null;
  }

  /** Reads the list, or returns the last one if that fails. Throws the provider's error if there is none. */
  async readOrStale(): Promise<KnownChains> {
    try {
      return await this.reads.run('chains', () => this.read());
    } catch (error) {
      if (this.known === null) throw error;
      return this.known;
    }
  }

  private async read(): Promise<KnownChains> {
    try {
      const text = await this.cell.provider.readChains();
      const readAtMs = this.timers.nowMs();
      this.known = { text, ids: idsIn(text), readAtMs };
      this.failedAtMs = Number.NEGATIVE_INFINITY;
      this.dueAtMs = readAtMs + FRESH_MS;
      this.recordRead(null);
      return this.known;
    } catch (error) {
      this.failedAtMs = this.timers.nowMs();
      const askedMs = error instanceof ProviderUnavailable ? (error.retryAfterMs ?? 0) : 0;
      this.dueAtMs = this.failedAtMs + Math.max(askedMs, TRY_EVERY_MS);
      if (!this.isStopping) this.recordRead(error as Error);
      throw error;
    }
  }

  /** Records the read for the provider's health, and logs each trouble once, however often it repeats. */
  private recordRead(failure: Error | null): void {
    this.cell.health.recordQuoting('chains', failure);
    const trouble = failure === null ? null : this.wordsOf(failure);
    if (trouble === this.loggedTrouble) return;
    this.loggedTrouble = trouble;
    if (trouble === null) this.log.log(`the list of chains of ${this.provider} is read again`);
    else this.log.warn(`the list of chains of ${this.provider} could not be read: ${trouble}`);
  }

  private wordsOf(error: Error): string {
    const url = this.cell.provider.urlOf('chains');
    return url === null || error instanceof ProviderMisconfigured
      ? error.message
      : `${url}: ${error.message}`;
  }
}

function idsIn(text: string): ReadonlySet<number> | null {
  try {
    const answer: unknown = JSON.parse(text);
    const chains = isRecord(answer) ? answer['chains'] : null;
    if (!Array.isArray(chains)) return null;
    const ids = chains.map((chain) => (isRecord(chain) ? Number(chain['id']) : Number.NaN));
    const readable = ids.filter((id) => Number.isSafeInteger(id) && id > 0);
    return readable.length === 0 ? null : new Set(readable);
  } catch {
    return null;
  }
}
