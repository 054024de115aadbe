import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, owed, Workbench } from './rabbitmq-workbench.ts';

const DELIVERED = { kind: 'delivered', httpStatus: null, isRouted: true };
const UNROUTABLE = {
  kind: 'failed',
  failure: 'unroutable',
  httpStatus: null,
  retryAfterMs: null,
  isStored: true,
} as const;

describeWithBroker('Events that no queue is bound for', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => bench.close());

  it('are not delivered: they are to be tried again for some minutes, then given up', async () => {
    const destination = await bench.ready();
    expect(await deliver(destination, owed({ type: 'payment.created' }))).toEqual(UNROUTABLE);
    const waits = [1, 2, 3, 4, 5, 6, 7].map((retries) => destination.retryInMs(retries, UNROUTABLE));
    expect(waits).toEqual([1_000, 5_000, 15_000, 30_000, 60_000, 120_000, null]);
  });

  it('are counted once each, logged at a bounded rate and shown in health', async () => {
    const destination = await bench.ready();
    await deliver(destination, owed({ type: 'payment.created' }));
    await deliver(destination, owed({ type: 'payment.created', attempts: 1, retries: 1 }));
    // Tried beside its schedule, when a later event of its payment came.
    await deliver(destination, owed({ type: 'payment.created', attempts: 1, retries: 0 }));
    await deliver(destination, owed({ type: 'payment.created' }));
    expect(bench.meter.unroutableEvents).toBe(2);
    expect(destination.health()).toEqual({
      status: 'degraded',
      detail: 'no queue is bound for payment.created',
    });
    const published = bench.logged.filter((line) => line.includes('No queue is bound for payment.created'));
    expect(published).toHaveLength(1);
  });

  it('reach a consumer that has bound by the next attempt', async () => {
    const destination = await bench.ready();
    const event = owed({ type: 'payment.created' });
    expect(await deliver(destination, event)).toEqual(UNROUTABLE);
    const messages = await bench.consume(await bench.queue());
    expect(await deliver(destination, { ...event, retries: 1 })).toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('never hold back the type that a consumer did bind', async () => {
    const messages = await bench.consume(await bench.queue(['payment.completed']));
    const destination = await bench.ready();
    expect(await deliver(destination, owed({ type: 'payment.created' }))).toEqual(UNROUTABLE);
    expect(await deliver(destination, owed({ type: 'payment.completed' }))).toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(messages.map((message) => message.fields.routingKey)).toEqual(['payment.completed']);
  });

  it('are forgotten in health after a while without another', async () => {
    const destination = await bench.ready(undefined, { unroutableForMs: 200 });
    await deliver(destination, owed({ type: 'payment.created' }));
    expect(destination.health().status).toBe('degraded');
    await waitFor(() => destination.health().status === 'ok');
  });
});
