import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import {
  type Deliveries,
  type DueDelivery,
  type LeaseOffer,
  MAX_CLAIMED,
  type Probe,
  type Slots,
  type Target,
} from '../../ports/deliveries.ts';
import type { Timers } from '../../ports/timers.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { type DueProbe, DueTargets } from './due-targets.ts';

const MAX_OFFERS = 32;
/** How long after an outage untried deliveries are sent before those that have failed. */
const UNTRIED_FIRST_MS = 60_000;

/** Plans the next claim: targets with possibly due deliveries, free concurrency and a circuit that is not open. */
export class ClaimPlanner {
  private readonly dueTargets: DueTargets;
  private readonly circuitProbes: CircuitProbes;

  constructor(
    deliveries: Deliveries,
    private readonly limiter: ConcurrencyLimiter,
    dueProbe: DueProbe,
    timers: Timers = SYSTEM_TIMERS,
  ) {
    this.dueTargets = new DueTargets(dueProbe, timers);
    this.circuitProbes = new CircuitProbes(deliveries, timers);
  }

  async slots(targets: readonly Target[], leaseMs: number): Promise<Slots[]> {
    await this.circuitProbes.bringForward(targets);
    for (const { id, circuit } of targets) if (circuit === 'recovering') this.dueTargets.noteDue(id);
    const idle = targets.filter(({ id }) => !this.limiter.isBusy(id));
    const probes = await this.circuitProbes.targetsToProbe(idle, leaseMs);
    const ready = targets.filter(({ circuit }) => circuit !== 'open');
    const due = new Set(await this.dueTargets.among(ready.map(({ id }) => id)));
    let { left } = this.limiter;
    const slot = (id: string, share: number): { destinationId: string; free: number } | null => {
      const free = this.limiter.free(id, left, share);
      if (free <= 0) return null;
      left -= Math.min(free, this.limiter.perTarget);
      return { destinationId: id, free };
    };
    // Probes come first: a claim may be full before its last targets, and each probe is granted only once.
    const probed = probes.flatMap(({ targetId, isUntried }) => {
      const one = slot(targetId, 1);
      if (one === null) return [];
      return isUntried ? [{ ...one, isProbe: false, untried: 'only' as const }] : [{ ...one, isProbe: true }];
    });
    const others = rotated(ready).flatMap((target) => {
      const some = due.has(target.id) ? slot(target.id, this.circuitProbes.concurrencyOf(target)) : null;
      if (some === null) return [];
      // A receiver may go on refusing the payments that it has refused before, and these must not delay other payments.
      const isBack = target.recoveredForMs !== null && target.recoveredForMs < UNTRIED_FIRST_MS;
      const first = isBack ? { untried: 'first' as const } : {};
      return [{ ...some, isProbe: false, ...first }];
    });
    return [...probed, ...others];
  }

  /**
   * How many new deliveries to insert leased. A target with due deliveries keeps the slots that its next claim can fill:
   * otherwise each new delivery would have to wait for a claim too, and claims are slower than new deliveries. With many
   * targets there are few offers: else the transaction that records events would carry more offers than events.
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

  /** Notes that this target may have a due delivery in `inMs`. */
  noteDue(targetId: string, inMs = 0): void {
    this.dueTargets.noteDue(targetId, inMs);
  }

  /** Notes that any target may have a due delivery. */
  noteWake(): void {
    this.dueTargets.noteWake();
  }

  /** Notes the result of a claim for these slots: a target that has filled its slots may have more deliveries. */
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

/** Starts at a random target, so that no target is always the last. */
function rotated<Each>(all: readonly Each[]): readonly Each[] {
  const start = Math.floor(Math.random() * all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}

const ASK_EVERY_MS = 500;
const BRING_EVERY_MS = 50;
/** A recovering target gets one attempt at a time at first; the number doubles after each period of this length. */
const DOUBLES_EVERY_MS = 1_000;

/** Chooses the open circuits to probe, and releases the backlog of recovering targets gradually. */
class CircuitProbes {
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

  /** The most attempts in flight for a recovering target; Infinity: only the common limit applies. */
  concurrencyOf({ recoveredForMs }: Target): number {
    return recoveredForMs === null ? Infinity : 2 ** Math.floor(recoveredForMs / DOUBLES_EVERY_MS);
  }
}
