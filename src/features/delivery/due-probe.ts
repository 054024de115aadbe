import type { Deliveries, NextDue } from '../../ports/deliveries.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';

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
