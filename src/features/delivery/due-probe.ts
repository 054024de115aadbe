import type { Deliveries, NextDue } from '../../ports/deliveries.ts';

/** How often all targets are asked for: other replicas may have recorded something, and retries come due. */
export const PROBE_EVERY_MS = 450;
/** So long an answer is still as good as new for whoever sweeps at the same time. */
const SHARED_MS = 50;

interface Answer {
  readonly at: number;
  readonly targetIds: ReadonlySet<string>;
  readonly due: Promise<readonly NextDue[]>;
}

/** What comes due to the targets of all dispatchers of this process: they sweep at the same times, with one question. */
export class DueProbe {
  private readonly askers = new Map<object, readonly string[]>();
  private last: Answer | null = null;

  constructor(private readonly deliveries: Deliveries) {}

  /** When the next sweep begins, by performance.now(); never before what was just swept is old. */
  nextAt(now: number): number {
    return (Math.floor((now + SHARED_MS) / PROBE_EVERY_MS) + 1) * PROBE_EVERY_MS;
  }

  /** Which of these targets of `asker` are owed something until the next sweep. */
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
    const now = performance.now();
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
