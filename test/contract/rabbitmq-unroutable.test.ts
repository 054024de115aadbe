import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../support/wait-for.ts';
import { deliver, owed, Workbench } from './rabbitmq-workbench.ts';

const DELIVERED = { kind: 'delivered', httpStatus: null };

describeWithBroker('Events that no queue is bound for', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await Workbench.open();
  });
  afterEach(() => bench.close());

  it('are sent three times within a second, then let go: counted, logged once and shown in health', async () => {
    const destination = await bench.ready();
    const startedAt = performance.now();

    await expect(deliver(destination, owed({ type: 'payment.created' }))).resolves.toEqual(DELIVERED);

    expect(performance.now() - startedAt).toBeGreaterThan(950);
    await deliver(destination, owed({ type: 'payment.created' }));
    expect(destination.unroutableTotal).toBe(2);
    expect(destination.health()).toEqual({
      status: 'degraded',
      detail: 'nobody is bound for payment.created',
    });
    expect(bench.logged.filter((line) => line.includes('Nobody is bound for payment.created'))).toHaveLength(
      1,
    );
  });

  it('reach a consumer that binds while they are sent again', async () => {
    const destination = await bench.ready();
    const outcome = deliver(destination, owed({ type: 'payment.created' }));

    const messages = await bench.consume(await bench.queue());

    await expect(outcome).resolves.toEqual(DELIVERED);
    await waitFor(() => messages.length === 1);
    expect(destination.unroutableTotal).toBe(0);
    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('are sent only once while their type is known to be bound by nobody', async () => {
    const destination = await bench.ready();
    await deliver(destination, owed({ type: 'payment.created' }));
    const startedAt = performance.now();

    await Promise.all(
      Array.from({ length: 50 }, () => deliver(destination, owed({ type: 'payment.created' }))),
    );

    expect(performance.now() - startedAt).toBeLessThan(900);
    expect(destination.unroutableTotal).toBe(51);
  });

  it('never hold back the type that a consumer did bind', async () => {
    const messages = await bench.consume(await bench.queue(['payment.completed']));
    const destination = await bench.ready();

    const unbound = deliver(destination, owed({ type: 'payment.created' }));
    await expect(deliver(destination, owed({ type: 'payment.completed' }))).resolves.toEqual(DELIVERED);

    await waitFor(() => messages.length === 1);
    await expect(unbound).resolves.toEqual(DELIVERED);
    expect(messages.map((message) => message.fields.routingKey)).toEqual(['payment.completed']);
    expect(destination.unroutableTotal).toBe(1);
  });

  it('are forgotten at once when one of their type is routed', async () => {
    const destination = await bench.ready();
    await deliver(destination, owed({ type: 'payment.created' }));
    await bench.queue(['payment.created']);

    await deliver(destination, owed({ type: 'payment.created' }));

    expect(destination.health()).toEqual({ status: 'ok' });
  });

  it('are forgotten after a while without another', async () => {
    const destination = await bench.ready(undefined, { unroutableForMs: 200, republishAfterMs: [] });

    await deliver(destination, owed({ type: 'payment.created' }));

    expect(destination.health().status).toBe('degraded');
    await waitFor(() => destination.health().status === 'ok');
  });
});
