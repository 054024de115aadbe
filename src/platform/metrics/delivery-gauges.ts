import type { Gauge } from 'prom-client';

import { ENDPOINT_STATES } from '../../domain/delivery/endpoint-state.ts';
import type { DeliveriesNow } from '../../ports/delivery-figures.ts';
import type { DestinationDescriptor } from '../../ports/destinations.ts';
import type { SeriesIn } from './series-in.ts';

/** Gauges of the delivery figures in the database. While the database does not answer, they have no series. */
export class DeliveryGauges {
  private readonly oldest: Gauge<'destination' | 'cause'>;
  private readonly endpoints: Gauge<'state'>;
  private readonly unreadable: Gauge;
  private readonly untold: Gauge<'destination'>;

  constructor(
    series: SeriesIn,
    private readonly destinations: readonly DestinationDescriptor[],
  ) {
    this.oldest = series.gauge(
      'paybell_oldest_undelivered_seconds',
      'How long ago the oldest undelivered event happened, by why it is undelivered; 0 when there is none.',
      'destination',
      'cause',
    );
    this.endpoints = series.gauge('paybell_webhook_endpoints', 'Webhook endpoints by their state.', 'state');
    this.unreadable = series.gauge(
      'paybell_webhook_secrets_unreadable',
      'Enabled webhook endpoints that get no events because their secret cannot be decrypted.',
    );
    this.untold = series.gauge(
      'paybell_untold_payments',
      'Payments with an event older than 30 s that a destination has not acknowledged; any: each payment once.',
      'destination',
    );
  }

  /** Null: the database does not answer. */
  set(deliveries: DeliveriesNow | null): void {
    for (const gauge of [this.oldest, this.endpoints, this.untold]) gauge.reset();
    // `reset` would leave a gauge without labels at 0.
    this.unreadable.remove();
    if (deliveries === null) return;
    this.unreadable.set(deliveries.unreadableSecrets);
    this.setUntold(deliveries.untold);
    for (const { kind: destination, delayCauses } of this.destinations)
      for (const cause of delayCauses) this.oldest.set({ destination, cause }, 0);
    for (const { destination, cause, ageMs } of deliveries.oldest)
      this.oldest.set({ destination, cause }, ageMs / 1_000);
    for (const state of ENDPOINT_STATES) this.endpoints.set({ state }, 0);
    for (const { state, endpoints } of deliveries.endpoints) this.endpoints.set({ state }, endpoints);
  }

  /** Adds up the endpoints: their names belong to the merchant, and there may be many. */
  private setUntold({ count, destinations }: DeliveriesNow['untold']): void {
    this.untold.set({ destination: 'any' }, count);
    for (const { kind } of this.destinations) this.untold.set({ destination: kind }, 0);
    for (const { destination, count: at } of destinations)
      this.untold.inc({ destination: destination.kind }, at);
  }
}
