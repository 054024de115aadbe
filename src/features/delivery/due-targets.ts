import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import type { Deliveries, NextDue } from '../../ports/deliveries.ts';
import type { Timers } from '../../ports/timers.ts';

/** Knows which targets may have due deliveries, so that an event for one target causes no query for a thousand. */
export class DueTargets {
  /** The time since when each target may have due deliveries, by the timers. */
  private readonly dueAt = new Map<string, number>();
  /** The time at which the next delivery of each other target becomes due. */
  private readonly nextAt = new Map<string, number>();
  private probeAt = -Infinity;
  /** Any target may have due deliveries. */
  private isWoken = true;
  /** When the targets of the current claim were chosen: the claim does not cover targets that became due later. */
  private chosenAt = -Infinity;

  constructor(
    private readonly probe: DueProbe,
    private readonly timers: Timers,
  ) {}

  /** The targets of this list that may have due deliveries. */
  async among(targetIds: readonly string[]): Promise<readonly string[]> {
    const now = this.timers.nowMs();
    this.chosenAt = now;
    const isProbing = now >= this.probeAt;
    if (this.isWoken) for (const id of targetIds) this.dueAt.set(id, now);
    if (targetIds.length > 0) this.isWoken = false;
    if (isProbing) await this.probeAll(targetIds, now);
    for (const [id, at] of this.nextAt) if (at <= now) this.becomesDue(id, at);
    return targetIds.filter((id) => (this.dueAt.get(id) ?? Infinity) <= now);
  }

  /** Notes that this target may have a due delivery in `inMs`. */
  noteDue(targetId: string, inMs = 0): void {
    const now = this.timers.nowMs();
    // A claim in progress may have passed this delivery: the target is due again from now on.
    if (inMs <= 0) this.dueAt.set(targetId, now);
    else this.waitsFor(targetId, now + inMs);
  }

  /** Notes that any target may have a due delivery. */
  noteWake(): void {
    this.isWoken = true;
  }

  /** Notes that all due deliveries of this target were claimed. */
  noteDrained(targetId: string): void {
    if ((this.dueAt.get(targetId) ?? Infinity) <= this.chosenAt) this.dueAt.delete(targetId);
  }

  /** Whether the target may have due deliveries that wait to be claimed. */
  isDue(targetId: string): boolean {
    return this.dueAt.has(targetId) || (this.nextAt.get(targetId) ?? Infinity) <= this.timers.nowMs();
  }

  /** How long until a known delivery becomes due, or until the next probe. */
  untilDue(): number {
    return Math.max(Math.min(this.probeAt, ...this.nextAt.values()) - this.timers.nowMs(), 0);
  }

  private async probeAll(targetIds: readonly string[], now: number): Promise<void> {
    const due = await this.probe.dueTo(this, targetIds);
    this.probeAt = this.probe.nextAt(now);
    const known = new Set(targetIds);
    for (const times of [this.dueAt, this.nextAt])
      for (const id of times.keys()) if (!known.has(id)) times.delete(id);
    // Counted from the answer: a claim that comes too early finds nothing, and the next claim waits for another probe.
    const answeredAt = this.timers.nowMs();
    for (const { targetId, inMs } of due)
      if (inMs <= 0) this.becomesDue(targetId, now);
      else this.waitsFor(targetId, answeredAt + inMs);
  }

  private waitsFor(targetId: string, at: number): void {
    this.nextAt.set(targetId, Math.min(this.nextAt.get(targetId) ?? Infinity, at));
  }

  private becomesDue(targetId: string, at: number): void {
    if ((this.nextAt.get(targetId) ?? Infinity) <= at) this.nextAt.delete(targetId);
    this.dueAt.set(targetId, Math.min(this.dueAt.get(targetId) ?? Infinity, at));
  }
}

/** How often the due deliveries of all targets are read: other replicas record events, and retries become due. */
export const PROBE_EVERY_MS = 450;
/** How long one result serves all dispatchers that probe at the same time. */
const SHARED_MS = 50;

interface Answer {
  readonly at: number;
  readonly targetIds: ReadonlySet<string>;
  readonly due: Promise<readonly NextDue[]>;
}

/** Reads which targets have due deliveries, with one query for all dispatchers of this process. */
export class DueProbe {
  private readonly askers = new Map<object, readonly string[]>();
  private last: Answer | null = null;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  /** The time of the next probe, by the timers: the same for all dispatchers, and after the last result expired. */
  nextAt(now: number): number {
    return (Math.floor((now + SHARED_MS) / PROBE_EVERY_MS) + 1) * PROBE_EVERY_MS;
  }

  /** The targets of `asker` that have a delivery due before the next probe. */
  async dueTo(asker: object, targetIds: readonly string[]): Promise<readonly NextDue[]> {
    this.askers.set(asker, targetIds);
    if (targetIds.length === 0) return [];
    const answer = this.answerFor(targetIds);
    const own = new Set(targetIds);
    const due = await answer.due;
    return due.filter(({ targetId }) => own.has(targetId));
  }

  private answerFor(targetIds: readonly string[]): Answer {
    const { last } = this;
    const now = this.timers.nowMs();
    if (last !== null && now - last.at < SHARED_MS && targetIds.every((id) => last.targetIds.has(id)))
      return last;
    const all = new Set([...this.askers.values()].flat());
    const answer = {
      at: now,
      targetIds: all,
      due: this.deliveries.dueWithin([...all], PROBE_EVERY_MS + SHARED_MS),
    };
    this.last = answer;
    return answer;
  }
}
