import type { Status } from '../../src/domain/payment/status.ts';
import { endOf, isLate, type Change, type Life } from './lives.ts';
import { SlidingMinute } from './sliding-minute.ts';
import { AFTERMATH_MS, isNearTrouble, type Trouble } from './troubles.ts';

/** A change that a poller has found. */
export interface Sighting {
  readonly status: Status;
  /** The payment's real status before the change, whether or not the poller saw that status. */
  readonly from: Status;
  /** The status that the poller knew until then. */
  readonly known: Status;
  readonly delayMs: number;
  readonly isLate: boolean;
  /** The change happened during a trouble, or soon after. */
  readonly isTroubled: boolean;
  /** The change happened soon after the poller could poll again. */
  readonly isAfterOutage: boolean;
}

const MINUTE_MS = 60_000;

/** The records about one poller: the changes that it found, their times, and its requests. */
export class Observations {
  readonly sightings: Sighting[] = [];
  /** Changes that were over before the next poll, for which no status is made up. */
  passed = 0;
  requestsUntilEnd = 0;
  requestsAfterEnd = 0;
  busiestMinute = 0;
  readonly perMinute: number[] = [];
  private readonly seen = new Map<number, number>();
  private readonly minute = new SlidingMinute();
  private recoveredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly troubles: readonly Trouble[],
    /** Earlier payments are not recorded. */
    private readonly from = 0,
  ) {}

  recovered(now: number): void {
    this.recoveredAt = now;
  }

  asked(life: Life, now: number): void {
    this.minute.add(now);
    this.busiestMinute = Math.max(this.busiestMinute, this.minute.count(now));
    const minute = Math.floor(now / MINUTE_MS);
    this.perMinute[minute] = (this.perMinute[minute] ?? 0) + 1;
    if (this.hasSeenEnd(life)) this.requestsAfterEnd++;
    else this.requestsUntilEnd++;
  }

  found(life: Life, index: number, now: number): void {
    const before = this.seenOf(life);
    if (index <= before) return;
    this.seen.set(life.id, index);
    if (life.createdAt < this.from) return;
    this.passed += index - before - 1;
    const { at, status } = life.changes[index] as Change;
    this.sightings.push({
      status,
      from: (life.changes[index - 1] as Change).status,
      known: (life.changes[before] as Change).status,
      delayMs: now - at,
      isLate: isLate(life, index),
      isTroubled: isNearTrouble(this.troubles, at),
      isAfterOutage: this.recoveredAt <= at && at < this.recoveredAt + AFTERMATH_MS,
    });
  }

  /** The last of the life's changes that was found. */
  seenOf(life: Life): number {
    return this.seen.get(life.id) ?? 0;
  }

  private hasSeenEnd(life: Life): boolean {
    return (life.changes[this.seenOf(life)] as Change).at >= endOf(life);
  }
}
