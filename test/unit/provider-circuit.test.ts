import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { RateLimit } from '../../src/domain/rate-limit/rate-limit.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import {
  ProviderCredentials,
  type StatusAnswer,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
} from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { AnswerTimes, QuotingHealth } from '../../src/features/polling/provider-troubles.ts';
import { RateLimitView } from '../../src/features/polling/rate-limit-view.ts';
import { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FakeProviderRateLimit } from '../support/fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from '../support/fakes/schedule.fake.ts';
import { ProviderAtCapacity } from '../../src/ports/provider-at-capacity.ts';
import { INITIAL_RATE_LIMIT } from '../support/initial-rate-limit.ts';

describe('provider circuit', () => {
  const TIME_OUT: StatusAnswer = {
    kind: 'unavailable',
    httpStatus: null,
    reason: 'timeout',
    retryAfterMs: null,
  };
  const NO_KEY: StatusAnswer = { kind: 'credentials' };
  const INTERVAL_MS = 7_000;
  const NOT_FOUND: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'no such quote' };

  const said: string[] = [];
  const about: unknown[] = [];
  const spies = (['warn', 'log'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation((message: unknown, fields: unknown) => {
      said.push(`${level}: ${String(message)}`);
      about.push(fields);
    }),
  );
  afterAll(() => spies.forEach((spy) => spy.mockRestore()));

  let rateLimit: FakeProviderRateLimit;
  let view: RateLimitView;
  let watch: ProviderCircuit;
  let time: VirtualClock;
  let provider: FakeProvider;

  beforeEach(async () => {
    const clock = new FakeClock();
    provider = new FakeProvider();
    const schedule = new FakeSchedule(new FakePayments(clock), clock);
    rateLimit = new FakeProviderRateLimit(schedule, provider, clock);
    view = new RateLimitView(rateLimit, provider, SYSTEM_TIMERS);
    time = new VirtualClock();
    const answers = new AnswerTimes(provider, SYSTEM_TIMERS);
    watch = new ProviderCircuit(rateLimit, view, answers, clock, time, INTERVAL_MS);
    await view.refresh();
  });
  afterEach(() => {
    said.length = 0;
    about.length = 0;
  });

  function report(): StatusAnswer {
    const fields = { status: 'AWAITING_DEPOSIT' };
    const read = readReport(fields, JSON.stringify(fields));
    if (read === null) throw new Error('not a report');
    return { kind: 'report', report: read };
  }

  function refusesWith(httpStatus: 429 | 503, retryAfterMs: number | null = null): StatusAnswer {
    return { kind: 'unavailable', httpStatus, reason: `status ${httpStatus}`, retryAfterMs };
  }

  /** Records one answer after another, about several payments in turn; returns which answers count. */
  function answers(answer: StatusAnswer, times: number, payments: number): boolean[] {
    return Array.from({ length: times }, (_, index) => watch.recordAnswer(`q${index % payments}`, answer));
  }

  /** The circuit in the state that another replica has left. */
  async function seen(circuit: RateLimit['circuit']): Promise<void> {
    rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit };
    await view.refresh();
  }

  describe('the circuit', () => {
    it('opens after ten failures in a row about three payments, and says so once', async () => {
      answers(TIME_OUT, 9, 3);
      await watch.settled();
      expect(rateLimit.published).toEqual([]);
      answers(TIME_OUT, 4, 3);
      await watch.settled();
      answers(TIME_OUT, 4, 3);
      await watch.settled();
      expect(rateLimit.published).toEqual(['open']);
      const circuit = 'warn: the circuit is open: only probes are sent until the provider works again';
      expect(said).toEqual(['warn: the provider is in trouble: timeout', circuit]);
      expect(about).toEqual([{ provider: 'http' }, { provider: 'http' }]);
    });

    type Step = readonly [answer: StatusAnswer, times: number, payments: number];
    const fails = (times: number, payments: number): Step => [TIME_OUT, times, payments];
    const refusesKey = (times: number, payments: number): Step => [NO_KEY, times, payments];
    const works: Step = [report(), 1, 1];
    const denies: Step = [NOT_FOUND, 1, 1];
    const opensAndCloses = [fails(10, 3), works];
    it.each<[told: string, steps: readonly Step[], published: readonly string[]]>([
      ['a hundred failures of one payment', [fails(100, 1)], []],
      ['a hundred failures of two', [fails(100, 2)], []],
      ['nine between usable answers', [fails(9, 5), works, fails(9, 5), denies, fails(9, 5)], []],
      ['payments that failed before a usable answer', [fails(9, 5), works, fails(10, 1)], []],
      ['two refusals of the key at a time', [refusesKey(2, 2), works, refusesKey(2, 2)], []],
      ['two, and two more after another trouble', [refusesKey(2, 1), fails(1, 1), refusesKey(2, 1)], []],
      ['a third one', [refusesKey(3, 2)], ['credentials']],
      ['a third one after another trouble', [fails(1, 1), refusesKey(3, 1)], ['credentials']],
      ['one refusal of the key among many failures', [fails(9, 3), refusesKey(1, 1)], ['open']],
      ['503 about ever more payments', [[refusesWith(503), 10, 3]], ['throttle null', 'open']],
      ['nine failures after it has closed', [...opensAndCloses, fails(9, 3)], ['open', 'recover']],
      ['ten failures after it has closed', [...opensAndCloses, fails(10, 3)], ['open', 'recover', 'open']],
    ])('counts %s', async (_told, steps, published) => {
      for (const [answer, times, payments] of steps) {
        answers(answer, times, payments);
        await watch.settled();
      }
      expect(rateLimit.published).toEqual(published);
    });

    it('learns of a probe that failed, whatever this replica has seen itself', async () => {
      await seen('open');
      await watch.beginProbe();
      watch.recordAnswer('q', TIME_OUT);
      await watch.settled();
      await watch.beginProbe();
      watch.recordAnswer('q', NO_KEY);
      await watch.settled();
      expect(rateLimit.published).toEqual(['probe open', 'probe credentials']);
    });

    it('is as the other replicas have left it when the probe begins', async () => {
      rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, circuit: 'open' };
      await watch.beginProbe();
      watch.recordAnswer('q', TIME_OUT);
      await watch.settled();
      expect(rateLimit.published).toEqual(['probe open']);
    });

    it('takes no failure for the probe’s after the probe was answered', async () => {
      await seen('open');
      await watch.beginProbe();
      watch.recordAnswer('q', report());
      await watch.settled();
      await seen('open');
      watch.recordAnswer('q', TIME_OUT);
      await watch.settled();
      expect(rateLimit.published).toEqual(['recover']);
    });

    it('takes no failure for the probe’s that is not', async () => {
      await seen('open');
      await watch.beginProbe();
      answers(TIME_OUT, 3, 3);
      await watch.settled();
      answers(TIME_OUT, 3, 3);
      await watch.settled();
      expect(rateLimit.published).toEqual(['probe open']);
    });

    it('is not opened by one failure after a probe that another replica has made up for', async () => {
      await seen('open');
      await watch.beginProbe();
      await seen('closed');
      watch.recordAnswer('q', TIME_OUT);
      await watch.settled();
      watch.recordAnswer('q', report());
      watch.recordAnswer('q', TIME_OUT);
      await watch.settled();
      expect(rateLimit.published).toEqual([]);
    });

    it('takes no answer for that of a probe that was not made', async () => {
      await seen('open');
      await watch.beginProbe();
      watch.cancelProbe();
      watch.recordAnswer('q', TIME_OUT);
      await watch.settled();
      expect(rateLimit.published).toEqual([]);
    });

    it.each([
      ['a report', report()],
      ['a refusal of one payment', NOT_FOUND],
    ])('closes with %s, once', async (_what, answer) => {
      answers(TIME_OUT, 10, 3);
      await watch.settled();
      watch.recordAnswer('q', answer);
      watch.recordAnswer('q', answer);
      await watch.settled();
      watch.recordAnswer('q', answer);
      await watch.settled();
      expect(rateLimit.published).toEqual(['open', 'recover']);
      expect(said.slice(-2)).toEqual([
        'log: the provider answers again after 10 failures',
        'log: the circuit is closed: payments are polled again',
      ]);
    });
  });

  describe('a silence', () => {
    it('is charged to its payment until the provider itself is in trouble', async () => {
      expect(answers(TIME_OUT, 9, 3)).toEqual(Array(9).fill(true));
      expect(answers(TIME_OUT, 3, 3)).toEqual([false, false, false]);
      await watch.settled();
      expect(answers(TIME_OUT, 1, 1)).toEqual([false]);
    });

    it('is not charged while another replica has found the circuit open', async () => {
      await seen('open');
      expect(watch.recordAnswer('q', TIME_OUT)).toBe(false);
      await watch.settled();
      expect(rateLimit.published).toEqual([]);
    });

    it('is charged where the provider answers about that payment alone', () => {
      expect(watch.recordAnswer('q', NOT_FOUND)).toBe(true);
    });

    it('that is a 429 is charged while it may concern its payment alone, and is no failure', async () => {
      expect(answers(refusesWith(429), 20, 5)).toEqual([true, true, ...Array(18).fill(false)]);
      await watch.settled();
      expect(rateLimit.published).toEqual(['throttle null']);
      expect(await watch.health()).toEqual({ status: 'degraded', detail: 'it has asked for fewer requests' });
    });
  });

  describe('a provider that asks for less', () => {
    /** `+a` is a usable answer about payment a; `a` is a complaint, `a2` a complaint after two failures of a. */
    async function plays(answersInTurn: string, httpStatus: 429 | 503, retryAfterMs: number): Promise<void> {
      for (const word of answersInTurn.split(' ')) {
        const [plus, quoteId = '', failures] = /^(\+?)([a-z])(\d?)$/.exec(word)?.slice(1) ?? [];
        const answer = plus === '+' ? report() : refusesWith(httpStatus, retryAfterMs);
        watch.recordAnswer(quoteId, answer, Number(failures));
        await watch.settled();
      }
    }

    it.each<[told: string, inTurn: string, published: readonly string[]]>([
      ['about one payment alone, again and again', '+b a +b a1 +c a2 +b +c a3', []],
      ['about one payment while no other is open', 'a a1 a2 a3', []],
      ['about two payments that are polled one after the other', '+c a b +c +d a1 b1 a2 b2 +c', []],
      ['about three payments in a row', '+a a b c', ['throttle 9000']],
      ['… and then all others, until one is answered', 'a b c d +d', ['throttle 9000', 'throttle 9000']],
      ['about a part of all payments', '+a b +a c +a d +a e +a f +a g', ['throttle null']],
      ['about one payment that is answered in between', '+b a +a a +a a +a a +a a +a a +a a +a', []],
      ['about a part of all, with others that repeat', '+a b +a c +a d +a e +a b1 +a c1 d1 +a e1 b2', []],
    ])('is asked less for complaints %s: %s', async (_told, inTurn, published) => {
      for (const status of [429, 503] as const) {
        rateLimit.published.length = 0;
        watch.recordAnswer('z', report());
        time.after(120_000, () => undefined);
        time.runUntil(Number.POSITIVE_INFINITY);
        await plays(inTurn, status, 9_000);
        expect([status, rateLimit.published]).toEqual([status, published]);
      }
    });

    it('pauses a minute for three payments at first, and for as long as it says after another', async () => {
      await plays('a b c', 429, 300_000);
      await plays('d', 429, 300_000);
      expect(rateLimit.published).toEqual(['throttle 60000', 'throttle 300000']);
    });

    it.each([
      ['nothing is answered for two intervals', 'a b', 20_000, ['throttle 6000']],
      ['… and its pause is over then', 'a', 9_000, ['throttle 0']],
      ['… though never longer than a minute for one payment', 'a', 86_400_000, ['throttle 46000']],
      ['another payment is answered meanwhile', 'a +b', 86_400_000, []],
    ])('pauses where %s', async (_when, inTurn, retryAfterMs, published) => {
      await plays(inTurn, 429, retryAfterMs);
      expect(rateLimit.published).toEqual([]);
      time.runUntil(2 * INTERVAL_MS);
      await watch.settled();
      expect(rateLimit.published).toEqual(published);
    });

    it('by address is asked less at once', async () => {
      watch.recordAnswer('q', { ...refusesWith(429, 7_000), isAboutAll: true } as StatusAnswer);
      await watch.settled();
      expect(rateLimit.published).toEqual(['throttle 7000']);
    });

    it('is alive: the circuit closes, and the rate limit is low', async () => {
      await seen('open');
      await watch.beginProbe();
      watch.recordAnswer('q', refusesWith(429));
      await watch.settled();
      expect(rateLimit.published).toEqual(['recover', 'throttle null']);
    });

    it('many times over is reported only once at a time', async () => {
      answers(refusesWith(429), 50, 50);
      await watch.settled();
      answers(refusesWith(429), 50, 50);
      await watch.settled();
      expect(rateLimit.published).toEqual(['throttle null', 'throttle null']);
    });
  });

  describe('while the database is away', () => {
    it('nothing breaks, and a later answer publishes a change that failed', async () => {
      const open = jest.spyOn(rateLimit, 'openCircuit').mockRejectedValueOnce(new StoreUnavailable());
      answers(TIME_OUT, 10, 3);
      await watch.settled();
      expect(open).toHaveBeenCalledTimes(1);
      expect(said.at(-1)).toContain('was not published to the other replicas');
      answers(TIME_OUT, 1, 3);
      await watch.settled();
      expect(rateLimit.published).toEqual(['open']);
    });

    it('a recovery is reported by the next usable answer', async () => {
      await seen('open');
      jest.spyOn(rateLimit, 'closeCircuit').mockRejectedValueOnce(new StoreUnavailable());
      watch.recordAnswer('q', report());
      await watch.settled();
      expect(rateLimit.published).toEqual([]);
      watch.recordAnswer('q', report());
      await watch.settled();
      expect(rateLimit.published).toEqual(['recover']);
    });

    it('readiness goes by what was known last', async () => {
      await seen('open');
      jest.spyOn(rateLimit, 'state').mockRejectedValue(new StoreUnavailable());
      expect(await watch.health()).toEqual({ status: 'degraded', detail: 'it fails; only probes go out' });
    });
  });

  describe('readiness', () => {
    it('reports that the provider asks for less', async () => {
      const { nowMs: at } = await rateLimit.state();
      expect(await watch.health()).toEqual({ status: 'ok' });
      rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, slowed: { to: 1, from: 1, at } };
      expect(await watch.health()).toEqual({ status: 'degraded', detail: 'it has asked for fewer requests' });
    });

    it('says until when the provider asks for no requests, as long as that is ahead', async () => {
      const { nowMs } = await rateLimit.state();
      const pausedUntil = nowMs + 600_000;
      rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, pausedUntil };
      const detail = `it has asked for no requests until ${new Date(pausedUntil).toISOString()}`;
      expect(await watch.health()).toEqual({ status: 'degraded', detail });
      rateLimit.rateLimit = { ...INITIAL_RATE_LIMIT, pausedUntil: nowMs - 1 };
      expect(await watch.health()).toEqual({ status: 'ok' });
    });

    it('is degraded by five failures in a row, and ok again with the first usable answer', async () => {
      answers(TIME_OUT, 4, 1);
      expect(await watch.health()).toEqual({ status: 'ok' });
      answers(TIME_OUT, 1, 1);
      expect(await watch.health()).toEqual({ status: 'degraded', detail: 'timeout' });
      watch.recordAnswer('q', report());
      expect(await watch.health()).toEqual({ status: 'ok' });
    });

    it('is ok again by the list of chains when no poll has failed for five minutes, since none may be due', async () => {
      answers(TIME_OUT, 5, 1);
      time.runUntil(300_000);
      watch.recordQuoting('chains', null);
      expect(await watch.health()).toEqual({ status: 'degraded', detail: 'timeout' });
      time.at(300_001, () => watch.recordQuoting('chains', null));
      time.runUntil(300_001);
      expect(await watch.health()).toEqual({ status: 'ok' });
    });

    it('says how late a change is noticed for want of requests', async () => {
      provider.limits = { ...provider.limits, maxRpm: 6 };
      const demand = { urgency: 1, payments: 1, perSecond: 1 / 7, overdue: 0, putOff: 0 } as const;
      jest.spyOn(rateLimit, 'demand').mockResolvedValue([demand]);
      await rateLimit.setScale([1, 30, 1, 1]);
      expect(await watch.health()).toEqual({
        status: 'degraded',
        detail: 'a deposit is noticed after about 4 min; it needs 9 requests a minute and has 6',
      });
    });

    it('names the key at once, and goes by what another replica has found', async () => {
      watch.recordAnswer('q', NO_KEY);
      expect(await watch.health()).toMatchObject({
        status: 'degraded',
        detail: 'it does not accept our key',
      });
      watch.recordAnswer('q', report());
      await seen('credentials');
      expect(await watch.health()).toEqual({
        status: 'degraded',
        detail: 'it does not accept our key; only probes go out',
      });
    });

    it('says with what the provider fails while the circuit is open', async () => {
      answers(TIME_OUT, 10, 3);
      await watch.settled();
      expect(await watch.health()).toEqual({ status: 'degraded', detail: 'timeout; only probes go out' });
    });

    it('names a lookup that fails, and a refused key until another replica finds it accepted again', async () => {
      watch.recordQuoting('quote', new ProviderCredentials());
      const refused = { status: 'degraded', detail: 'it does not accept our key' };
      expect(await watch.health()).toEqual(refused);
      expect(await watch.health()).toEqual(refused);
      await seen('credentials');
      expect(await watch.health()).toMatchObject({ status: 'degraded' });
      await seen('closed');
      expect(await watch.health()).toEqual({ status: 'ok' });
    });
  });
});

describe('quoting health', () => {
  const REFUSED_CONNECTION = new ProviderUnavailable('connection refused');
  const NO_KEY = new ProviderCredentials();
  const NO_API = new ProviderMisconfigured('GET https://pay.example/api/chains');
  const CHAINS_AWAY = 'its list of chains cannot be read: connection refused';
  const NO_QUOTES = 'it makes no quotes: connection refused';
  const KEY_TROUBLE = 'it does not accept our key';
  const FORGOTTEN_AFTER_MS = 300_000;

  let watch: QuotingHealth;
  let nowMs: number;

  beforeEach(() => {
    nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    watch = new QuotingHealth();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('a provider that has no room for a quote has answered', () => {
    for (let time = 0; time < 2; time += 1) watch.record('quote', REFUSED_CONNECTION);
    expect(watch.trouble).toBe(NO_QUOTES);
    watch.record('quote', new ProviderAtCapacity('25 channels are open'));
    expect(watch.trouble).toBeNull();
  });

  describe('a provider that was never reached', () => {
    it('is in trouble from the first failure on, until it answers', () => {
      expect(watch.trouble).toBeNull();
      watch.record('chains', REFUSED_CONNECTION);
      expect(watch.trouble).toBe(CHAINS_AWAY);
      watch.record('chains', null);
      expect(watch.trouble).toBeNull();
    });

    it.each([
      [NO_KEY, KEY_TROUBLE],
      [NO_API, 'there is no payment API at its address: check PROVIDER_BASE_URL (without /api)'],
      [new ProviderRefused(404, 'no'), 'its list of chains cannot be read: status 404'],
    ])('names what is wrong, until it answers: %s', (failure, trouble) => {
      watch.record('chains', failure);
      expect(watch.trouble).toBe(trouble);
      watch.record('chains', null);
      expect(watch.trouble).toBeNull();
    });
  });

  describe('a provider that works', () => {
    beforeEach(() => watch.record('chains', null));

    it('is not in trouble for one failure, nor for what is no failure of its own', () => {
      watch.record('quote', REFUSED_CONNECTION);
      expect(watch.trouble).toBeNull();
      watch.record('chains', null);
      for (const failure of [new ProviderRefused(400, 'no'), new StoreUnavailable(), new TypeError('a bug')])
        for (let time = 0; time < 5; time += 1) watch.record('quote', failure);
      expect(watch.trouble).toBeNull();
    });

    it('is when the chains fail after a quote, and is well again with the chains alone', () => {
      watch.record('quote', REFUSED_CONNECTION);
      watch.record('chains', REFUSED_CONNECTION);
      expect(watch.trouble).toBe(NO_QUOTES);
      for (let time = 0; time < 5; time += 1) watch.record('quote', REFUSED_CONNECTION);
      watch.record('chains', null);
      expect(watch.trouble).toBeNull();
    });

    it('is when only quotes fail, three in a row, until one is made', () => {
      for (const trouble of [null, null, NO_QUOTES, NO_QUOTES]) {
        watch.record('quote', REFUSED_CONNECTION);
        watch.record('chains', null);
        watch.record('currencies', null);
        expect(watch.trouble).toBe(trouble);
      }
      watch.record('quote', null);
      expect(watch.trouble).toBeNull();
    });

    it('says of a key at once that it is not taken, be it for quotes alone', () => {
      watch.record('quote', NO_KEY);
      watch.record('chains', null);
      expect(watch.trouble).toBe(KEY_TROUBLE);
      watch.record('currencies', null);
      expect(watch.trouble).toBe(KEY_TROUBLE);
      watch.record('quote', new ProviderRefused(422, 'too little'));
      expect(watch.trouble).toBeNull();
    });

    it('reports the key rather than a time-out', () => {
      watch.record('currencies', REFUSED_CONNECTION);
      watch.record('quote', NO_KEY);
      expect(watch.trouble).toBe(KEY_TROUBLE);
    });

    it('is well again when nobody has asked any more for a while', () => {
      watch.record('quote', NO_KEY);
      watch.record('chains', null);
      nowMs += FORGOTTEN_AFTER_MS - 1;
      expect(watch.trouble).toBe(KEY_TROUBLE);
      nowMs += 1;
      expect(watch.trouble).toBeNull();
    });
  });

  describe('a key that was refused', () => {
    it('is no trouble any more once the provider takes it; what else is wrong stays', () => {
      watch.record('quote', NO_KEY);
      for (let time = 0; time < 3; time += 1) watch.record('currencies', REFUSED_CONNECTION);
      expect(watch.trouble).toBe(KEY_TROUBLE);
      watch.clearKeyTrouble();
      expect(watch.trouble).toBe('its tokens cannot be searched: connection refused');
    });
  });
});
