import type { Deliveries, NextDue } from '../../ports/deliveries.ts';
import { type DueProbe, PROBE_EVERY_MS } from './due-probe.ts';

/** What commits so much later than its successors is still seen as new; what is later is found when all are asked for. */
const LATE_COMMIT_MS = 100;
/** So few are all asked for when something was recorded here: cheaper than finding out who is owed something. */
const FEW = 32;

/** Which targets are owed something now: so that an event for one costs no look at a thousand others. */
export class DueTargets {
  /** By performance.now(). */
  private readonly dueAt = new Map<string, number>();
  /** Up to where everything was seen at a time, the oldest first. */
  private watermarks: { readonly position: string; readonly at: number }[] = [];
  private probeAt = -Infinity;
  /** Something was recorded here for targets that are not known. */
  private isWoken = true;
  /** When the targets of the claim that is under way were chosen: what is noted later is not answered by it. */
  private chosenAt = -Infinity;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly probe: DueProbe,
  ) {}

  /** Of these targets, those that may be owed something. */
  async among(targetIds: readonly string[]): Promise<readonly string[]> {
    const now = performance.now();
    this.chosenAt = now;
    const isProbing = now >= this.probeAt;
    if (targetIds.length > FEW) await this.addNewlyDue(now, isProbing);
    else if (this.isWoken) for (const id of targetIds) this.dueAt.set(id, now);
    if (targetIds.length > 0) this.isWoken = false;
    if (isProbing) await this.probeAll(targetIds, now);
    return targetIds.filter((id) => (this.dueAt.get(id) ?? Infinity) <= now);
  }

  /** This target may be owed something now. */
  noteDue(targetId: string): void {
    this.dueAt.set(targetId, performance.now());
  }

  /** Any target may be owed something now. */
  noteWake(): void {
    this.isWoken = true;
  }

  /** All that was due to these is claimed: how long until something may be due. */
  async whenClaimed(targetIds: readonly string[]): Promise<number> {
    const now = performance.now();
    for (const id of targetIds) if ((this.dueAt.get(id) ?? Infinity) <= this.chosenAt) this.dueAt.delete(id);
    if (targetIds.length <= FEW) this.merge(await this.deliveries.dueWithin(targetIds, PROBE_EVERY_MS), now);
    const dues = targetIds.map((id) => this.dueAt.get(id) ?? Infinity);
    return Math.min(this.untilDue(), ...dues.map((at) => Math.max(at - performance.now(), 0)));
  }

  /** How long until something comes due, or until all are asked for again. */
  untilDue(): number {
    const now = performance.now();
    let next = this.probeAt;
    for (const at of this.dueAt.values()) if (at > now && at < next) next = at;
    return Math.max(next - now, 0);
  }

  private async probeAll(targetIds: readonly string[], now: number): Promise<void> {
    const due = await this.probe.dueTo(this, targetIds);
    this.probeAt = this.probe.nextAt(now);
    const known = new Set(targetIds);
    for (const id of this.dueAt.keys()) if (!known.has(id)) this.dueAt.delete(id);
    this.merge(due, now);
  }

  private merge(due: readonly NextDue[], now: number): void {
    for (const { targetId, inMs } of due)
      this.dueAt.set(targetId, Math.min(this.dueAt.get(targetId) ?? Infinity, now + inMs));
  }

  /** Not needed beside a sweep, unless its answer may be older than what was recorded here. */
  private async addNewlyDue(now: number, isProbing: boolean): Promise<void> {
    if (isProbing && !this.isWoken && this.watermarks.length > 0) return;
    while (this.watermarks[1] !== undefined && this.watermarks[1].at <= now - LATE_COMMIT_MS)
      this.watermarks.shift();
    const { targetIds, position } = await this.deliveries.newlyDue(this.watermarks[0]?.position ?? null);
    if (position !== this.watermarks.at(-1)?.position) this.watermarks.push({ position, at: now });
    for (const id of targetIds) this.dueAt.set(id, now);
  }
}
