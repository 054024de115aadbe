import type { Timers } from '../../ports/timers.ts';

/** The wait after each wrong try in a row; after further ones, the last wait applies. */
export const WAITS_MS: readonly number[] = [0, 0, 0, 0, 1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 60e3];
/** Tries are forgotten this long after their wait if no wrong one followed. */
export const FORGOTTEN_AFTER_MS = 60_000;
const MAX_SOURCES = 10_000;

interface Tries {
  readonly wrong: number;
  readonly waitUntil: number;
}

const NONE: Tries = { wrong: 0, waitUntil: Number.NEGATIVE_INFINITY };

/** The wrong tries of each source, in the memory of this process. After the fifth, each is followed by a longer wait. */
export class WrongTries {
  /** The least recently seen first. */
  private readonly bySource = new Map<string, Tries>();

  constructor(
    private readonly timers: Timers,
    private readonly maxSources = MAX_SOURCES,
  ) {}

  /** How long the source has to wait before its next try; 0: it may try now. */
  waitMs(source: string): number {
    return Math.max(this.triesOf(source).waitUntil - this.timers.nowMs(), 0);
  }

  addTry(source: string): void {
    this.count(source, this.triesOf(source).wrong + 1);
  }

  /** Sets the number of tries, including those at other replicas; the last one was now. */
  learn(source: string, wrong: number): void {
    if (wrong > this.triesOf(source).wrong) this.count(source, wrong);
  }

  /** How many sources are remembered. */
  get size(): number {
    return this.bySource.size;
  }

  private triesOf(source: string): Tries {
    const tries = this.bySource.get(source);
    const isForgotten = tries === undefined || this.timers.nowMs() - tries.waitUntil >= FORGOTTEN_AFTER_MS;
    return isForgotten ? NONE : tries;
  }

  private count(source: string, wrong: number): void {
    const waitMs = WAITS_MS[Math.min(wrong, WAITS_MS.length) - 1] ?? 0;
    this.bySource.delete(source);
    this.bySource.set(source, { wrong, waitUntil: this.timers.nowMs() + waitMs });
    const [oldest] = this.bySource.keys();
    if (this.bySource.size > this.maxSources && oldest !== undefined) this.bySource.delete(oldest);
  }
}
