import type { Deliveries } from '../ports/deliveries.ts';

/** How often all targets are asked for: other replicas may have recorded something, and retries come due. */
const SWEEP_MS = 500;
/** What commits so much later than its successors is still seen as new; what is later is found when all are asked for. */
const LATE_COMMIT_MS = 100;
/** So few are all asked for at each claim: cheaper than finding out who is owed something. */
const FEW = 32;

/** Which targets are owed something now: so that an event for one costs no look at a thousand others. */
export class Owing {
  /** By performance.now(). */
  private readonly dueAt = new Map<string, number>();
  /** Up to where everything was seen at a time, the oldest first. */
  private seen: { readonly position: string; readonly at: number }[] = [];
  private sweptAt = -Infinity;
  /** When the targets of the claim that is under way were chosen: what is noted later is not answered by it. */
  private chosenAt = -Infinity;

  constructor(private readonly deliveries: Deliveries) {}

  /** Of these targets, those that may be owed something. */
  async among(targetIds: readonly string[]): Promise<readonly string[]> {
    const now = performance.now();
    this.chosenAt = now;
    if (targetIds.length <= FEW) return targetIds;
    await this.askForNew(now);
    if (now - this.sweptAt >= SWEEP_MS) await this.sweep(targetIds, now);
    return targetIds.filter((id) => (this.dueAt.get(id) ?? Infinity) <= now);
  }

  /** This target may be owed something now. */
  note(targetId: string): void {
    this.dueAt.set(targetId, performance.now());
  }

  /** All that was due to these is claimed: how long until something comes due to one of them, at most half a second. */
  async whenClaimed(targetIds: readonly string[]): Promise<number> {
    const now = performance.now();
    for (const id of targetIds) if ((this.dueAt.get(id) ?? Infinity) <= this.chosenAt) this.dueAt.delete(id);
    if (targetIds.length <= FEW) {
      const due = await this.deliveries.dueWithin(targetIds, SWEEP_MS);
      return Math.min(SWEEP_MS, ...due.map(({ inMs }) => inMs));
    }
    const dues = targetIds.map((id) => this.dueAt.get(id) ?? Infinity);
    return Math.min(this.sweptAt + SWEEP_MS, ...dues) - now;
  }

  private async sweep(targetIds: readonly string[], now: number): Promise<void> {
    const due = await this.deliveries.dueWithin(targetIds, SWEEP_MS);
    this.sweptAt = now;
    const known = new Set(targetIds);
    for (const id of this.dueAt.keys()) if (!known.has(id)) this.dueAt.delete(id);
    for (const { targetId, inMs } of due) {
      const noted = this.dueAt.get(targetId) ?? Infinity;
      this.dueAt.set(targetId, noted > now ? Math.min(noted, now + inMs) : now + inMs);
    }
  }

  private async askForNew(now: number): Promise<void> {
    while (this.seen[1] !== undefined && this.seen[1].at <= now - LATE_COMMIT_MS) this.seen.shift();
    const { targetIds, position } = await this.deliveries.newlyOwed(this.seen[0]?.position ?? null);
    if (position !== this.seen.at(-1)?.position) this.seen.push({ position, at: now });
    for (const id of targetIds) this.dueAt.set(id, now);
  }
}
