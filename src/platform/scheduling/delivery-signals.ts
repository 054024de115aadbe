import type { DueDelivery, LeaseOffer } from '../../ports/deliveries.ts';
import type { Deliverable, NewDeliveries } from '../../ports/new-deliveries.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from './system-timers.ts';
import { WakeSignal } from './wake-signal.ts';

/** A dispatcher, as recorders of events in its process see it. */
export interface NewDeliveryTaker {
  /** Returns the deliveries that the dispatcher would send at once. */
  offers(): readonly LeaseOffer[];
  /** Sends this delivery, as offered, or returns it. */
  takeLeased(leased: DueDelivery, since: number): void;
  /** Notes that these targets, of this or another kind, have due deliveries. */
  noteDue(targetIds: readonly string[]): void;
}

/** Wakes a dispatcher. */
export class DispatchSignal extends WakeSignal {
  private isDueAnywhere = false;

  /** Wakes the dispatcher to search all targets for due deliveries. */
  override wake(): void {
    this.isDueAnywhere = true;
    super.wake();
  }

  /** Wakes the dispatcher for targets that it knows already. */
  resume(): void {
    super.wake();
  }

  /** Whether `wake` was called since the last call of this method. */
  takeDueAnywhere(): boolean {
    const { isDueAnywhere } = this;
    this.isDueAnywhere = false;
    return isDueAnywhere;
  }
}

/** Connects recorders of events with the dispatchers and streams of this process. */
export class DeliverySignals {
  readonly streams: WakeSignal;
  private readonly signals = new Map<string, DispatchSignal>();
  private readonly takers: NewDeliveryTaker[] = [];
  /** Dispatchers by the destination for which they have offered to send. */
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

  /** Calls `record` with the dispatchers' offers, and hands them the deliveries that it has recorded. */
  async leasing<Result extends Deliverable>(
    record: (offers: readonly LeaseOffer[]) => Promise<Result>,
  ): Promise<Result> {
    const recorded = await record(this.offers());
    if (recorded.deliveries !== null) this.recorded(recorded.deliveries);
    return recorded;
  }

  /** Returns which deliveries the dispatchers would send at once: call it right before a transaction that records events. */
  offers(): readonly LeaseOffer[] {
    return this.takers.flatMap((taker) => {
      const offers = taker.offers();
      for (const { destinationId } of offers) this.takerOf.set(destinationId, taker);
      return offers;
    });
  }

  /** Call it when events were recorded and their transaction has committed. */
  recorded({ leased, dueTargets, since }: NewDeliveries): void {
    for (const delivery of leased) this.takerOf.get(delivery.destinationId)?.takeLeased(delivery, since);
    if (dueTargets.length > 0) for (const taker of this.takers) taker.noteDue(dueTargets);
    this.streams.wake();
  }
}
