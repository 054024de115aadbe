import type { Deliveries, NextDue } from '../../ports/deliveries.ts';
import { type DueProbe, PROBE_EVERY_MS } from './due-probe.ts';

/** Deliveries that commit up to so much later than their successors still count as new; the due probe finds later ones. */
const LATE_COMMIT_MS = 100;
/** Up to so many targets, claiming for all of them is cheaper than reading which of them have new deliveries. */
const FEW = 32;

/** Knows which targets may have due deliveries, so that an event for one target costs no query for a thousand others. */
export class DueTargets {
  /** By performance.now(). */
  private readonly dueAt = new Map<string, number>();
  /** The positions up to which new deliveries were read, and when, oldest first. */
  private watermarks: { readonly position: string; readonly at: number }[] = [];
  private probeAt = -Infinity;
  /** This process has recorded deliveries for unknown targets. */
  private isWoken = true;
  /** When the targets of the current claim were chosen: the claim does not cover targets that became due later. */
  private chosenAt = -Infinity;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly probe: DueProbe,
  ) {}

  /** The targets among these that may have due deliveries. */
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

  /** This target may have a due delivery. */
  noteDue(targetId: string): void {
    this.dueAt.set(targetId, performance.now());
  }

  /** Any target may have a due delivery. */
  noteWake(): void {
    this.isWoken = true;
  }

  /** After all due deliveries of these targets were claimed: how long until a delivery may be due. */
  async whenClaimed(targetIds: readonly string[]): Promise<number> {
    const now = performance.now();
    for (const id of targetIds) if ((this.dueAt.get(id) ?? Infinity) <= this.chosenAt) this.dueAt.delete(id);
    if (targetIds.length <= FEW) this.merge(await this.deliveries.dueWithin(targetIds, PROBE_EVERY_MS), now);
    const dues = targetIds.map((id) => this.dueAt.get(id) ?? Infinity);
    return Math.min(this.untilDue(), ...dues.map((at) => Math.max(at - performance.now(), 0)));
  }

  /** How long until a known delivery becomes due, or until the next probe. */
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

  /** Reads the targets of new deliveries. A probe covers them too, unless its shared result may be older than a wake. */
  private async addNewlyDue(now: number, isProbing: boolean): Promise<void> {
    if (isProbing && !this.isWoken && this.watermarks.length > 0) return;
    while (this.watermarks[1] !== undefined && this.watermarks[1].at <= now - LATE_COMMIT_MS)
      this.watermarks.shift();
    const { targetIds, position } = await this.deliveries.newlyDue(this.watermarks[0]?.position ?? null);
    if (position !== this.watermarks.at(-1)?.position) this.watermarks.push({ position, at: now });
    for (const id of targetIds) this.dueAt.set(id, now);
  }
}
