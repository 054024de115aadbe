import type { Deliveries, Target } from '../../ports/deliveries.ts';

const ASK_EVERY_MS = 1_000;
const BRING_EVERY_MS = 50;
/** A target that recovered takes one attempt at first, and twice as many after each of these. */
const DOUBLES_EVERY_MS = 1_000;

/** Brings targets back: probes those whose circuit is open, and lets the backlog of those that recovered out gradually. */
export class CircuitProbes {
  private askedAt = -Infinity;
  private broughtAt = -Infinity;

  constructor(private readonly deliveries: Deliveries) {}

  /** Of the targets whose circuit is open, those that this process is to probe now. */
  async targetsToProbe(targets: readonly Target[]): Promise<ReadonlySet<string>> {
    const open = targets.filter(({ circuit }) => circuit === 'open').map(({ id }) => id);
    const now = performance.now();
    if (open.length === 0 || now - this.askedAt < ASK_EVERY_MS) return new Set();
    this.askedAt = now;
    return new Set(await this.deliveries.takeProbes(open));
  }

  /** Makes a part of what waits at one of the recovering targets due. */
  async bringForward(targets: readonly Target[]): Promise<void> {
    const recovering = targets.filter(({ circuit }) => circuit === 'recovering');
    const now = performance.now();
    const one = recovering[Math.floor(Math.random() * recovering.length)];
    if (one === undefined || now - this.broughtAt < BRING_EVERY_MS) return;
    this.broughtAt = now;
    await this.deliveries.bringForward(one.id);
  }

  /** The most attempts that it may have in flight at once; Infinity: as many as any. */
  concurrencyOf({ recoveredForMs }: Target): number {
    return recoveredForMs === null ? Infinity : 2 ** Math.floor(recoveredForMs / DOUBLES_EVERY_MS);
  }
}
