import type { Tap } from '../testkit/tcp-proxy.ts';
import type { Breach } from './ledger.ts';

/** The spec's. */
const REQUEST = /GET \/api\/status\/([^ /?]+) HTTP\/1\.1\r\n/g;
const LONGEST_START = 300;
const MINUTE_MS = 60_000;
const TICK_MS = 10;

/** Paybell's promises to a provider. */
export interface PollLimits {
  readonly minGapMs: number;
  readonly maxRpm: number;
}

/**
 * Watches each status request as it leaves Paybell, before a network fault can hold it back: only there the gap between two
 * requests is Paybell's own.
 */
export class PollWatch {
  readonly tooClose: Breach[] = [];
  readonly tooMany: Breach[] = [];
  polls = 0;
  busiestMinute = 0;
  shortestGapMs = Number.POSITIVE_INFINITY;
  private readonly last = new Map<string, number>();
  private readonly minute: number[] = [];
  /** The last three, the oldest first. */
  private ticks: readonly [number, number, number];
  private readonly timer = setInterval(() => {
    const [, before, last] = this.ticks;
    this.ticks = [before, last, performance.now()];
  }, TICK_MS);

  constructor(
    private readonly limits: PollLimits,
    /** The pattern of a status request, whose group says what the request is about. */
    private readonly request: RegExp = REQUEST,
  ) {
    const now = performance.now();
    this.ticks = [now, now, now];
  }

  /** For one connection of Paybell's. */
  readonly newTap = (): Tap => {
    let unread = '';
    let isFirst = true;
    return (chunk) => {
      // This process may have been late: a chunk came after the tick before the last one. The first chunk of a connection,
      // which had to be accepted first, may have come another tick earlier.
      const earliest = this.ticks[isFirst ? 0 : 1];
      isFirst = false;
      unread += chunk.toString('latin1');
      let end = 0;
      for (const match of unread.matchAll(this.request)) {
        this.note(decodeURIComponent(match[1] ?? ''), earliest);
        end = match.index + match[0].length;
      }
      unread = unread.slice(Math.max(end, unread.length - LONGEST_START));
    };
  };

  close(): void {
    clearInterval(this.timer);
  }

  private note(quoteId: string, earliest: number): void {
    const now = performance.now();
    this.polls += 1;
    const before = this.last.get(quoteId);
    if (before !== undefined) this.checkGap(quoteId, now - before);
    this.last.set(quoteId, earliest);
    this.checkRate(now, quoteId);
  }

  private checkGap(quoteId: string, gapMs: number): void {
    this.shortestGapMs = Math.min(this.shortestGapMs, gapMs);
    if (gapMs < this.limits.minGapMs)
      this.tooClose.push({ at: Date.now(), quoteId, text: `polled again after ${gapMs.toFixed(0)} ms` });
  }

  private checkRate(now: number, quoteId: string): void {
    this.minute.push(now);
    while ((this.minute[0] ?? now) <= now - MINUTE_MS) this.minute.shift();
    this.busiestMinute = Math.max(this.busiestMinute, this.minute.length);
    if (this.minute.length > this.limits.maxRpm)
      this.tooMany.push({ at: Date.now(), quoteId, text: `request ${this.minute.length} within a minute` });
  }
}
