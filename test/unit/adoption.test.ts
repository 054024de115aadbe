import { describe, expect, it } from '@jest/globals';

import { Adoption, type AdoptedOrder } from '../../src/features/adoption/adoption.ts';
import { HandOverAsker } from '../../src/features/adoption/hand-over-asker.ts';
import { UnknownPayment } from '../../src/features/adoption/unknown-payment.ts';
import { TokenDecimals } from '../../src/features/quotes/request-check.ts';
import {
  ProviderNotAsked,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../src/ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider, NOT_FOUND, reportOf } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { circuitOn } from '../support/poll-requests.ts';
import { cellsOf } from '../support/cells.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

function setUp() {
  const clock = new FakeClock();
  const provider = new FakeProvider();
  const payments = new FakePayments(clock);
  const rateLimit = new FakeProviderRateLimit(new FakeSchedule(payments, clock), provider, clock);
  const circuit = circuitOn(rateLimit, provider);
  const cells = cellsOf({ provider, rateLimit, health: circuit });
  const adoption = new Adoption(cells, payments, new DeliverySignals(), new FakeMeter(), clock, clock.timers);
  return { clock, provider, payments, adoption, rateLimit };
}

/** The merchant's submission. */
function withQuote(text: string): AdoptedOrder {
  return { orderId: null, metadata: null, quote: { text, expectedMs: null } };
}

/** Makes a provider lose its quotes and read them from the submitted objects. */
function lose(provider: FakeProvider, readStatus: (quoteId: string) => Promise<StatusAnswer>): string[] {
  const kept: string[] = [];
  provider.readLostQuote = async (quoteId) => ({
    readStatus: () => readStatus(quoteId),
    extraRequests: 0,
    keep: async () => void kept.push(quoteId),
  });
  return kept;
}

describe('adoption', () => {
  it('remembers no more than the last thousand unknown ids', async () => {
    const { adoption, provider } = setUp();
    const isUnknown = (quoteId: string) =>
      expect(adoption.adopt(quoteId, 'key shop')).rejects.toThrow(UnknownPayment);
    for (let i = 0; i <= 1_000; i += 1) await isUnknown(`q-${i}`);
    const readsSoFar = provider.statusReads.length;
    await isUnknown('q-1');
    expect(provider.statusReads).toHaveLength(readsSoFar);
    await isUnknown('q-0');
    expect(provider.statusReads).toHaveLength(readsSoFar + 1);
  });

  it('remembers an unknown id for five seconds, whatever the clock is corrected by', async () => {
    const { adoption, provider, clock } = setUp();
    const ask = () => expect(adoption.adopt('q-1', 'key shop')).rejects.toThrow(UnknownPayment);
    await ask();
    for (const ms of [3_600_000, -7_200_000, 4_999]) {
      if (ms === 4_999) clock.advance(ms);
      else clock.jump(ms);
      await ask();
    }
    expect(provider.statusReads).toHaveLength(1);
    clock.advance(1);
    await ask();
    expect(provider.statusReads).toHaveLength(2);
  });

  it('asks nobody about an id that the provider knows not to be its own', async () => {
    const { adoption, provider } = setUp();
    provider.statuses.set('q-1', reportOf('q-1'));
    provider.mayKnow = () => Promise.resolve(false);
    await expect(adoption.adopt('q-1', 'key shop')).rejects.toThrow(UnknownPayment);
    expect(provider.statusReads).toEqual([]);
  });

  it('takes no report that does not say which quote it is about', async () => {
    const { adoption, provider, payments } = setUp();
    const published = reportOf('q-1');
    if (published.kind === 'report')
      provider.statuses.set('q-1', { ...published, report: { ...published.report, quoteId: null } });
    await expect(adoption.adopt('q-1', 'key shop')).rejects.toThrow(ProviderUnavailable);
    expect(payments.adds).toBe(0);
  });

  it('survives a provider that gives no answer at all', async () => {
    const { adoption, provider } = setUp();
    provider.readStatuses = () => Promise.resolve();
    await expect(adoption.adopt('q-1', 'key shop')).rejects.toThrow(ProviderUnavailable);
  });

  it('stores what was handed over only once the report of its quote is there', async () => {
    const { adoption, provider, payments } = setUp();
    const answers: StatusAnswer[] = [NOT_FOUND, reportOf('q-2'), reportOf('q-1')];
    const kept = lose(provider, async () => answers.shift() ?? NOT_FOUND);
    const handOver = () => adoption.adopt('q-1', 'key shop', withQuote('{}'));
    await expect(handOver()).rejects.toThrow(UnknownPayment);
    await expect(handOver()).rejects.toThrow(ProviderUnavailable);
    expect([kept, payments.adds, provider.statusReads]).toEqual([[], 0, []]);
    expect(await handOver()).toMatchObject({ isNew: true });
    expect(kept).toEqual(['q-1']);
  });

  it('shares one look-up among equal quotes that are handed over at once, and not among different ones', async () => {
    const { adoption, provider } = setUp();
    const read: string[] = [];
    provider.readLostQuote = async (quoteId, text) => {
      read.push(text);
      if (text === '{"send":1}') throw new ProviderRefused(422, 'no', 'quote.send');
      return { readStatus: async () => reportOf(quoteId), extraRequests: 0, keep: async () => undefined };
    };
    const texts = ['{}', '{"send":1}', '{}'];
    const outcomes = await Promise.allSettled(
      texts.map((text) => adoption.adopt('q-1', 'key shop', withQuote(text))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(read).toEqual(['{}', '{"send":1}']);
  });

  it('takes no permit for a quote that cannot be read: it says nothing about a provider that fails', async () => {
    const { adoption, provider, rateLimit } = setUp();
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open', tokens: 1 };
    provider.readLostQuote = async () => {
      throw new ProviderRefused(422, 'quote.recipient must be as the quote was answered.', 'quote.recipient');
    };
    const before = rateLimit.rateLimit;
    const refusal = adoption.adopt('q-1', 'key shop', withQuote('{}'));
    await expect(refusal).rejects.toMatchObject({ field: 'quote.recipient' });
    expect([rateLimit.rateLimit, rateLimit.published]).toEqual([before, []]);
  });
});

describe('the asker of a hand-over', () => {
  const busy = new ProviderNotAsked('busy', 4_000);

  it('waits for the budget up to 20 s, and then has the rest handed over again', async () => {
    let now = 0;
    const after = (ms: number, act: () => void): (() => void) => {
      now += ms;
      queueMicrotask(act);
      return () => undefined;
    };
    const asker = new HandOverAsker('key shop', { nowMs: () => now, after });
    const answers = [busy, busy, busy];
    const takeOne = async () => {
      const refusal = answers.shift();
      if (refusal !== undefined) throw refusal;
      return { isProbe: false };
    };
    const rateLimit = { takeOne } as unknown as ProviderRateLimit;
    expect([await asker.takeOne(rateLimit), now]).toEqual([{ isProbe: false }, 12_000]);
    answers.push(busy, busy);
    await expect(asker.takeOne(rateLimit)).rejects.toBe(busy);
    now = 20_000;
    await expect(asker.takeOne(rateLimit)).rejects.toMatchObject({ retryAfterMs: 1_000 });
  });
});

describe('adoption with several providers', () => {
  /** The preferred provider restores every submission, as Relay does with an unpaid quote. */
  function setUpSeveral() {
    const clock = new FakeClock();
    const [relay, http] = [new FakeProvider('relay'), new FakeProvider('http')];
    relay.mayKnow = () => Promise.resolve(false);
    const kept = lose(relay, async (quoteId) => reportOf(quoteId));
    const payments = new FakePayments(clock);
    const cells = cellsOf(
      ...[relay, http].map((provider) => {
        const rateLimit = new FakeProviderRateLimit(new FakeSchedule(payments, clock), provider, clock);
        return { provider, rateLimit, health: circuitOn(rateLimit, provider) };
      }),
    );
    const adoption = new Adoption(
      cells,
      payments,
      new DeliverySignals(),
      new FakeMeter(),
      clock,
      clock.timers,
    );
    const handOver = (quote = '{}') => adoption.adopt('q-1', 'key shop', withQuote(quote));
    return { http, payments, kept, handOver };
  }

  it('is by the one that knows the id, not by one before it that could restore the quote', async () => {
    const { http, payments, kept, handOver } = setUpSeveral();
    http.statuses.set('q-1', reportOf('q-1'));
    await handOver();
    expect([(await payments.find('q-1'))?.provider, kept]).toEqual(['http', []]);
  });

  it('restores a quote by the provider that it names, never by one before it', async () => {
    const { http, payments, kept, handOver } = setUpSeveral();
    const keptByHttp = lose(http, async (quoteId) => reportOf(quoteId));
    await handOver(JSON.stringify({ provider: 'http' }));
    expect([(await payments.find('q-1'))?.provider, kept, keptByHttp]).toEqual(['http', [], ['q-1']]);
  });

  it('restores a quote that names a provider which is not asked by the first that can', async () => {
    const { payments, handOver } = setUpSeveral();
    await handOver(JSON.stringify({ provider: 'elsewhere' }));
    expect((await payments.find('q-1'))?.provider).toBe('relay');
  });

  it('waits for one that may know the id, and restores the quote only when nobody does', async () => {
    const { http, payments, kept, handOver } = setUpSeveral();
    const isDown = {
      kind: 'unavailable',
      reason: 'status 500',
      retryAfterMs: null,
      httpStatus: 500,
    } as const;
    http.statuses.set('q-1', isDown);
    await expect(handOver()).rejects.toThrow(ProviderUnavailable);
    expect([payments.adds, kept]).toEqual([0, []]);
    http.statuses.delete('q-1');
    await handOver();
    expect([(await payments.find('q-1'))?.provider, kept]).toEqual(['relay', ['q-1']]);
  });
});

describe('the digits of tokens', () => {
  it('are forgotten from the oldest on, so that they never fill the memory', () => {
    const decimals = new TokenDecimals();
    const learn = (from: number, to: number): void => {
      const ids = Array.from({ length: to - from }, (_, i) => from + i);
      const currencies = ids.map((id) => ({ chainId: 1, address: `t${id}`, decimals: 6 }));
      decimals.learnFromCurrencies(JSON.stringify({ currencies }));
    };
    learn(0, 20_000);
    expect(decimals.of(1, 't0')).toBe(6);
    learn(0, 1);
    learn(20_000, 20_001);
    expect([decimals.of(1, 't0'), decimals.of(1, 't1'), decimals.of(1, 't20000')]).toEqual([6, null, 6]);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"currencies":{}}',
    '{"send":7}',
    '{"send":{"chain":{"id":1},"token":null}}',
  ])('are not learned from what cannot be read: %s', (text) => {
    const decimals = new TokenDecimals();
    decimals.learnFromCurrencies(text);
    decimals.learnFromQuote(text);
    expect(decimals.of(1, 'x')).toBeNull();
  });

  it.each([-1, 1.5, 256, '6', null])('are not learned when they cannot be: %j', (published) => {
    const decimals = new TokenDecimals();
    decimals.learnFromCurrencies(
      JSON.stringify({ currencies: [{ chainId: 1, address: '0xa', decimals: published }] }),
    );
    expect(decimals.of(1, '0xa')).toBeNull();
  });
});
