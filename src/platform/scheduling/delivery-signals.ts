import type { DueDelivery, LeaseOffer } from '../../ports/deliveries.ts';
import type { Deliverable, NewDeliveries } from '../../ports/new-deliveries.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from './system-timers.ts';
import { WakeSignal } from './wake-signal.ts';

/** A dispatcher, to those that record events in its process. */
export interface NewDeliveryTaker {
  /** Returns the deliveries that it would send at once. */
  offers(): readonly LeaseOffer[];
  /** Sends this one, as it has offered, or returns it. */
  takeLeased(leased: DueDelivery, since: number): void;
  /** These targets, of this or another kind, have due deliveries. */
  noteDue(targetIds: readonly string[]): void;
}

/** Wakes a dispatcher. */
export class DispatchSignal extends WakeSignal {
  private isDueAnywhere = false;

  /** Any target may have due deliveries. */
  override wake(): void {
    this.isDueAnywhere = true;
    super.wake();
  }

  /** The dispatcher knows which targets have due deliveries. */
  resume(): void {
    super.wake();
  }

  /** Whether `wake` was called since the last time. */
  takeDueAnywhere(): boolean {
    const { isDueAnywhere } = this;
    this.isDueAnywhere = false;
    return isDueAnywhere;
  }
}

/** Between those that record events, and the dispatchers and streams of this process. */
export class DeliverySignals {
  readonly streams: WakeSignal;
  private readonly signals = new Map<string, DispatchSignal>();
  private readonly takers: NewDeliveryTaker[] = [];
  /** By the destination that they have offered to send to. */
  private readonly takerOf = new Map<string, NewDeliveryTaker>();

  constructor(private readonly timers: Timers = SYSTEM_TIMERS) {
    this.streams = new WakeSignal(timers);
  }

  /** The signal of the dispatcher for this kind of destination. */
  of(kind: string): DispatchSignal {
    const signal = this.signals.get(kind) ?? new DispatchSignal(this.timers);
    this.signals.set(kind, signal);
    return signal;
  }

  join(taker: NewDeliveryTaker): void {
    this.takers.push(taker);
  }

  /** Calls `record` with what the dispatchers offer to send, and hands them what it has recorded. */
  async leasing<Result extends Deliverable>(
    record: (offers: readonly LeaseOffer[]) => Promise<Result>,
  ): Promise<Result> {
    const recorded = await record(this.offers());
    if (recorded.deliveries !== null) this.recorded(recorded.deliveries);
    return recorded;
  }

  /** Returns what the dispatchers would send at once: ask for it right before a transaction that records events. */
  offers(): readonly LeaseOffer[] {
    return this.takers.flatMap((taker) => {
      const offers = taker.offers();
      for (const { destinationId } of offers) this.takerOf.set(destinationId, taker);
      return offers;
    });
  }

  /** Events were recorded, and their transaction is committed. */
  recorded({ leased, dueTargets, since }: NewDeliveries): void {
    for (const delivery of leased) this.takerOf.get(delivery.destinationId)?.takeLeased(delivery, since);
    if (dueTargets.length > 0) for (const taker of this.takers) taker.noteDue(dueTargets);
    this.streams.wake();
  }
}
