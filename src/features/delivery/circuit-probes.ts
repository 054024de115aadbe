import type { Deliveries, Probe, Target } from '../../ports/deliveries.ts';
import type { Timers } from '../../ports/timers.ts';

const ASK_EVERY_MS = 500;
const BRING_EVERY_MS = 50;
/** A recovering target gets one attempt at a time at first, and twice as many after each of these periods. */
const DOUBLES_EVERY_MS = 1_000;

/** Chooses the open circuits to probe, and releases the backlog of recovering targets gradually. */
export class CircuitProbes {
  private probedAt = -Infinity;
  private broughtAt = -Infinity;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly timers: Timers,
  ) {}

  /** The targets with an open circuit that this process probes now. */
  async targetsToProbe(targets: readonly Target[], leaseMs: number): Promise<readonly Probe[]> {
    const open = targets.filter(({ circuit }) => circuit === 'open').map(({ id }) => id);
    const now = this.timers.nowMs();
    if (open.length === 0 || now - this.probedAt < ASK_EVERY_MS) return [];
    this.probedAt = now;
    return this.deliveries.takeProbes(open, leaseMs);
  }

  /** Makes some of the waiting deliveries of one random recovering target due. */
  async bringForward(targets: readonly Target[]): Promise<void> {
    const recovering = targets.filter(({ circuit }) => circuit === 'recovering');
    const now = this.timers.nowMs();
    const one = recovering[Math.floor(Math.random() * recovering.length)];
    if (one === undefined || now - this.broughtAt < BRING_EVERY_MS) return;
    this.broughtAt = now;
    await this.deliveries.bringForward(one.id);
  }

  /** The most attempts in flight that a recovering target gets; Infinity: only the common limit applies. */
  concurrencyOf({ recoveredForMs }: Target): number {
    return recoveredForMs === null ? Infinity : 2 ** Math.floor(recoveredForMs / DOUBLES_EVERY_MS);
  }
}
