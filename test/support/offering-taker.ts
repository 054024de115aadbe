import type { DueDelivery, LeaseOffer } from '../../src/ports/deliveries.ts';
import type { NewDeliveryTaker } from '../../src/platform/scheduling/delivery-signals.ts';

/** Offers to send this many new deliveries of one endpoint, and keeps those that it got. */
export class OfferingTaker implements NewDeliveryTaker {
  readonly noted: string[] = [];
  free = 0;
  endpoint = '';
  private taken: DueDelivery[] = [];

  constructor(private readonly leaseMs: number) {}

  offers(): readonly LeaseOffer[] {
    return this.free === 0 ? [] : [{ destinationId: this.endpoint, free: this.free, leaseMs: this.leaseMs }];
  }

  takeLeased(leased: DueDelivery): void {
    this.taken.push(leased);
  }

  noteDue(targetIds: readonly string[]): void {
    this.noted.push(...targetIds);
  }

  /** The deliveries received since the last call. */
  takeAll(): DueDelivery[] {
    return this.taken.splice(0);
  }
}
