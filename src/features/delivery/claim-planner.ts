import {
  MAX_CLAIMED,
  type Deliveries,
  type DueDelivery,
  type LeaseOffer,
  type Slots,
  type Target,
} from '../../ports/deliveries.ts';
import { DueTargets } from './due-targets.ts';
import { CircuitProbes } from './circuit-probes.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { DueProbe } from './due-probe.ts';

const MAX_OFFERS = 32;

/** Plans the next claim: the targets that may have due deliveries and free concurrency, and whose circuit is not open. */
export class ClaimPlanner {
  private readonly dueTargets: DueTargets;
  private readonly circuitProbes: CircuitProbes;

  constructor(
    deliveries: Deliveries,
    private readonly limiter: ConcurrencyLimiter,
    dueProbe: DueProbe,
  ) {
    this.dueTargets = new DueTargets(dueProbe);
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
      left -= Math.min(free, this.limiter.perTarget);
      return [{ destinationId: target.id, free, isProbe }];
    });
  }

  /**
   * How many new deliveries to insert leased. A target with due deliveries keeps the slots that its next claim can fill; without
   * the others each new delivery would wait for a claim too, and claims that are slower than new deliveries never catch up. With
   * more than a few targets, the transaction that records events would carry more offers than events.
   */
  offers(targets: readonly Target[]): Pick<LeaseOffer, 'destinationId' | 'free'>[] {
    if (targets.length > MAX_OFFERS) return [];
    let { left } = this.limiter;
    return targets.flatMap((target) => {
      const { id: destinationId, circuit } = target;
      if (circuit !== 'closed') return [];
      const kept = this.dueTargets.isDue(destinationId) ? MAX_CLAIMED : 0;
      const free = this.limiter.free(destinationId, left, this.circuitProbes.concurrencyOf(target)) - kept;
      if (free <= 0) return [];
      left -= Math.min(free, this.limiter.perTarget);
      return [{ destinationId, free }];
    });
  }

  /** This target may have a due delivery in `inMs`. */
  noteDue(targetId: string, inMs = 0): void {
    this.dueTargets.noteDue(targetId, inMs);
  }

  /** Any target may have a due delivery. */
  noteWake(): void {
    this.dueTargets.noteWake();
  }

  /** What a claim for these slots has found: a target that has filled its slots may have more. */
  noteClaimed(slots: readonly Slots[], claimed: readonly DueDelivery[]): void {
    if (claimed.length >= MAX_CLAIMED) return;
    const counts = new Map<string, number>();
    for (const { destinationId: id } of claimed) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const { destinationId: id, free } of slots)
      if ((counts.get(id) ?? 0) < free) this.dueTargets.noteDrained(id);
  }

  /** How long until a delivery may be due. */
  untilDue(): number {
    return this.dueTargets.untilDue();
  }
}

/** Starts at a random target, so that none is always last. */
function rotated<Each>(all: readonly Each[]): readonly Each[] {
  const start = Math.floor(Math.random() * all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}
