import { beforeEach, describe, expect, it } from '@jest/globals';

import { Adoption } from '../../src/features/adoption/adoption.ts';
import { PaymentsService } from '../../src/features/payments/payments.service.ts';
import { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { FeatureApp } from '../support/feature-app.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { reportOf } from '../support/fakes/provider.fake.ts';
import { OfferingTaker } from '../support/offering-taker.ts';
import { QUOTE_BODY, startGateway } from '../support/quotes-app.ts';
import { paymentToAdd } from '../support/stores.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

let world: FeatureApp;
let taker: OfferingTaker;
let payments: PaymentsService;

beforeEach(() => {
  world = new FeatureApp();
  taker = new OfferingTaker(5_000);
  taker.free = 3;
  taker.endpoint = 'shop';
  world.signals.join(taker);
  const { cells, meter, clock, signals } = world;
  const adoption = new Adoption(cells, world.payments, signals, meter, clock, clock.timers);
  payments = new PaymentsService(
    world.payments,
    signals,
    adoption,
    cells,
    world.witness,
    world.watchedDeposits,
  );
});

/** The fakes answer that each offered destination has due deliveries. */
describe('the dispatchers of the process are offered the deliveries, and told of them,', () => {
  it('when a quote is made', async () => {
    const app = await startGateway(world);
    try {
      const made = await app.post('/api/quote', QUOTE_BODY);
      expect(made.status).toBe(200);
      expect(taker.noted).toEqual(['shop']);
    } finally {
      await app.stop();
    }
  });

  it('when a quote is adopted', async () => {
    world.provider.statuses.set('q-1', reportOf('q-1'));
    await payments.track('q-1', { orderId: null, metadata: null, quote: null }, 'key shop', null);
    expect(taker.noted).toEqual(['shop']);
  });

  it('when a payment is labelled or resolved, and not where nothing changes', async () => {
    await world.payments.add(paymentToAdd('q-1'));
    const order = { orderId: 'A-1', metadata: null, quote: null };
    await payments.track('q-1', order, 'key shop', null);
    await payments.track('q-1', order, 'key shop', null);
    expect(taker.noted).toEqual(['shop']);
    await payments.resolve('q-1', { reason: 'test', note: null, by: 'test' });
    expect(taker.noted).toEqual(['shop', 'shop']);
  });

  it('when a poll finds a change', async () => {
    const { clock, schedule, circuit, signals } = world;
    const meters = { all: new FakeMeter(), own: new FakeMeter() };
    const settings = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
    const recorder = new PollRecorder(schedule, signals, circuit, meters, clock, SYSTEM_TIMERS, settings);
    await world.payments.add(paymentToAdd('q-1'));
    const claim = await schedule.claimNow('q-1', 0, 5_000);
    if (typeof claim === 'string') throw new Error(claim);
    await recorder.record(claim, reportOf('q-1', 'EXECUTING'));
    expect(taker.noted).toEqual(['shop']);
  });
});
