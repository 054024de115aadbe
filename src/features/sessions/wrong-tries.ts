import type { Timers } from '../../ports/timers.ts';

/** So many wrong tries in a row cost nothing. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Tries are forgotten when so long after their wait no wrong one followed. */
const FORGOTTEN_AFTER_MS = 60_000;
const MAX_SOURCES = 10_000;

interface Tries {
  readonly wrong: number;
  /** Tries that are not judged yet. */
  readonly pending: number;
  readonly waitUntil: number;
}

const NONE: Tries = { wrong: 0, pending: 0, waitUntil: Number.NEGATIVE_INFINITY };

/** The wrong tries of each source, in the memory of this process. From the fifth on each is followed by a longer wait. */
export class WrongTries {
  /** The least recently seen first. */
  private readonly bySource = new Map<string, Tries>();

  constructor(
    private readonly timers: Timers,
    private readonly maxSources = MAX_SOURCES,
  ) {}

  /** How long the source has to wait before its next try; 0: it may try now. */
  waitMs(source: string): number {
    const { wrong, pending, waitUntil } = this.triesOf(source);
    const waitMs = Math.max(waitUntil - this.timers.nowMs(), 0);
    // Many tries at once count as if they were wrong, until they are judged.
    const isFull = pending > 0 && wrong + pending >= FREE_TRIES;
    return isFull ? Math.max(waitMs, FIRST_WAIT_MS) : waitMs;
  }

  begin(source: string): void {
    const tries = this.triesOf(source);
    this.keep(source, { ...tries, pending: tries.pending + 1 });
  }

  end(source: string, isWrong: boolean): void {
    const tries = this.triesOf(source);
    const pending = Math.max(tries.pending - 1, 0);
    if (!isWrong) return this.keep(source, { ...tries, pending });
    const wrong = tries.wrong + 1;
    this.keep(source, { wrong, pending, waitUntil: this.timers.nowMs() + waitAfter(wrong) });
  }

  /** How many sources are remembered. */
  get size(): number {
    return this.bySource.size;
  }

  private triesOf(source: string): Tries {
    const tries = this.bySource.get(source);
    if (tries === undefined) return NONE;
    const isForgotten = this.timers.nowMs() - tries.waitUntil >= FORGOTTEN_AFTER_MS;
    return isForgotten ? { ...NONE, pending: tries.pending } : tries;
  }

  private keep(source: string, tries: Tries): void {
    this.bySource.delete(source);
    if (tries.wrong === 0 && tries.pending === 0) return;
    this.bySource.set(source, tries);
    const [oldest] = this.bySource.keys();
    if (this.bySource.size > this.maxSources && oldest !== undefined) this.bySource.delete(oldest);
  }
}

function waitAfter(wrong: number): number {
  if (wrong < FREE_TRIES) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (wrong - FREE_TRIES), LONGEST_WAIT_MS);
}
