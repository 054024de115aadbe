import type { Deliveries, Slots, Target } from '../../ports/deliveries.ts';
import { DueTargets } from './due-targets.ts';
import { CircuitProbes } from './circuit-probes.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { DueProbe } from './due-probe.ts';

/** Plans the next claim: the targets that may have due deliveries and free concurrency, and whose circuit is not open. */
export class ClaimPlanner {
  private readonly dueTargets: DueTargets;
  private readonly circuitProbes: CircuitProbes;

  constructor(
    deliveries: Deliveries,
    private readonly limiter: ConcurrencyLimiter,
    dueProbe: DueProbe,
  ) {
    this.dueTargets = new DueTargets(deliveries, dueProbe);
    this.circuitProbes = new CircuitProbes(deliveries);
  }

  async slots(targets: readonly Target[]): Promise<Slots[]> {
    await this.circuitProbes.bringForward(targets);
    for (const { id, circuit } of targets) if (circuit === 'recovering') this.dueTargets.noteDue(id);
    const probes = await this.circuitProbes.targetsToProbe(
      targets.filter(({ id }) => !this.limiter.isBusy(id)),
    );
    const probed = targets.filter(({ id }) => probes.has(id));
    const ready = targets.filter(({ circuit }) => circuit !== 'open');
    const due = new Set(await this.dueTargets.among(ready.map(({ id }) => id)));
    let { left } = this.limiter;
    // Probes come first: a claim may be full before its last targets, and each probe is granted only once.
    return [...probed, ...rotated(ready)].flatMap((target) => {
      const isProbe = probes.has(target.id);
      if (!isProbe && !due.has(target.id)) return [];
      const free = this.limiter.free(target.id, left, isProbe ? 1 : this.circuitProbes.concurrencyOf(target));
      if (free <= 0) return [];
      left -= free;
      return [{ destinationId: target.id, free, isProbe }];
    });
  }

  /** This target may have a due delivery. */
  noteDue(targetId: string): void {
    this.dueTargets.noteDue(targetId);
  }

  /** Any target may have a due delivery. */
  noteWake(): void {
    this.dueTargets.noteWake();
  }

  /** After a plan without slots: how long until a delivery may be due. */
  untilDue(): number {
    return this.dueTargets.untilDue();
  }

  /** After a claim that found nothing for these slots: how long until a delivery may be due. */
  whenClaimed(slots: readonly Slots[]): Promise<number> {
    return this.dueTargets.whenClaimed(slots.map(({ destinationId }) => destinationId));
  }
}

/** Starts at a random target, so that none is always last. */
function rotated<Each>(all: readonly Each[]): readonly Each[] {
  const start = Math.floor(Math.random() * all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}
