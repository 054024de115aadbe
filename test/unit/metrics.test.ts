import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { register, Registry } from 'prom-client';

import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { FigureCounter } from '../../src/platform/metrics/figure-counter.ts';
import { ProcessMeter } from '../../src/platform/metrics/process-meter.ts';
import { PrometheusMetrics } from '../../src/platform/metrics/prometheus-metrics.ts';
import { CorrectedClock } from '../../src/platform/process/corrected-clock.ts';
import type { OpenCount } from '../../src/ports/attention.ts';
import type { AskingFigures, Figures, ProviderFigures } from '../../src/ports/metrics.ts';
import type { PollOutcome } from '../../src/ports/meter.ts';
import { VERSION } from '../../src/platform/version.ts';
import { NOTHING_UNTOLD } from '../../src/ports/untold-payments.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';
import { PrometheusText } from '../support/prometheus-text.ts';

const OUTCOMES: PollOutcome[] = [
  'changed',
  'unchanged',
  'refused',
  'foreign',
  'throttled',
  'credentials',
  'unavailable',
];

const ASKING: AskingFigures = {
  budget: { perMinute: 189, available: 4 },
  circuit: 'open',
  scale: [1, 1.5, 9, 10],
  short: null,
  isUnread: false,
};
const OF_HTTP: ProviderFigures = {
  provider: 'http',
  schedule: {
    open: [
      { status: 'EXECUTING', urgency: 0, payments: 12 },
      { status: 'AWAITING_DEPOSIT', urgency: 2, payments: 300 },
    ],
    lagMs: 1_500,
  },
  unansweredQuotes: 250,
  asking: ASKING,
};
const FIGURES: Figures = {
  providers: [OF_HTTP],
  deliveries: {
    oldest: [
      { destination: 'webhook', cause: 'failing', ageMs: 90_500 },
      { destination: 'webhook', cause: 'disabled', ageMs: 3_600_000 },
      { destination: 'rabbitmq', cause: 'waiting', ageMs: 20 },
    ],
    endpoints: [
      { state: 'ok', endpoints: 7 },
      { state: 'open', endpoints: 2 },
    ],
    unreadableSecrets: 3,
    untold: NOTHING_UNTOLD,
  },
  logHeldMs: 31_500,
  epoch: 478_000,
};

let meter: ProcessMeter;
let clock: CorrectedClock;
let metrics: PrometheusMetrics;

beforeEach(() => {
  const registry = new Registry();
  meter = new ProcessMeter(registry, DESTINATION_KINDS, new FigureCounter());
  meter.of('http');
  clock = new CorrectedClock();
  metrics = new PrometheusMetrics(registry, DESTINATION_KINDS, clock);
});

const OPEN: OpenCount[] = [
  { code: 'payments_stalled', severity: 'bad', count: 3 },
  { code: 'payments_late', severity: 'warn', count: 0 },
];

async function scrape(
  figures: Figures | null = FIGURES,
  attention: readonly OpenCount[] = OPEN,
): Promise<PrometheusText> {
  return new PrometheusText((await metrics.render(figures, attention)).text);
}

/** A figure of the provider http. */
function ofHttp(
  scraped: PrometheusText,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return scraped.value(`paybell_${name}`, { provider: 'http', ...labels });
}

describe("the machine's clock", () => {
  it('has no skew before the first measurement, and then the one that it has at the scrape', async () => {
    expect((await scrape(null)).value('paybell_clock_skew_seconds')).toBeUndefined();
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    clock.measured(Date.now() + 60_000, performance.now());
    expect((await scrape(null)).value('paybell_clock_skew_seconds')).toBeCloseTo(-60, 0);
    jest.restoreAllMocks();
  });
});

describe('what the meter counts', () => {
  it('is there at zero before anything has happened', async () => {
    const scraped = await scrape();
    for (const outcome of OUTCOMES) expect(ofHttp(scraped, 'polls_total', { outcome })).toBe(0);
    expect(ofHttp(scraped, 'provider_requests_total')).toBe(0);
    expect(ofHttp(scraped, 'stale_polls_total')).toBe(0);
    expect(ofHttp(scraped, 'provider_request_duration_seconds_count')).toBe(0);
    expect(ofHttp(scraped, 'detection_gap_seconds_count', { status: 'COMPLETED' })).toBe(0);
  });

  it('separates polls by their outcome', async () => {
    for (const [times, outcome] of OUTCOMES.entries())
      for (let i = 0; i <= times; i += 1) meter.of('http').polled(outcome, URGENCY.attended);
    const scraped = await scrape();
    const counted = OUTCOMES.map((outcome) => ofHttp(scraped, 'polls_total', { outcome }));
    expect(counted).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('counts for each provider apart', async () => {
    meter.of('relay').polled('changed', URGENCY.attended);
    meter.of('relay').requested(40);
    meter.of('relay').noticed('accepted');
    const scraped = await scrape();
    const of = (provider: string): (number | undefined)[] => [
      scraped.value('paybell_polls_total', { provider, outcome: 'changed' }),
      scraped.value('paybell_provider_requests_total', { provider }),
      scraped.value('paybell_provider_notices_total', { provider, outcome: 'accepted' }),
    ];
    expect([of('http'), of('relay')]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
  });

  it('counts a request once and measures it in seconds', async () => {
    for (const ms of [4, 40, 40, 20_000]) meter.of('http').requested(ms);
    const scraped = await scrape();
    const bucket = (le: string): number | undefined =>
      ofHttp(scraped, 'provider_request_duration_seconds_bucket', { le });
    expect([bucket('0.005'), bucket('0.025'), bucket('0.05'), bucket('10'), bucket('+Inf')]).toEqual([
      1, 1, 3, 3, 4,
    ]);
    expect(ofHttp(scraped, 'provider_request_duration_seconds_sum')).toBeCloseTo(20.084);
    expect(ofHttp(scraped, 'provider_requests_total')).toBe(4);
  });

  it('measures the gap before a change by the status that was seen', async () => {
    meter.of('http').detected('EXECUTING', 5_200);
    meter.of('http').detected('COMPLETED', 7_400);
    meter.of('http').detected('COMPLETED', 3_600_000);
    const scraped = await scrape();
    const count = (status: string): number | undefined =>
      ofHttp(scraped, 'detection_gap_seconds_count', { status });
    expect([count('EXECUTING'), count('COMPLETED'), count('FAILED')]).toEqual([1, 2, 0]);
    expect(ofHttp(scraped, 'detection_gap_seconds_bucket', { status: 'COMPLETED', le: '7.5' })).toBe(1);
    expect(ofHttp(scraped, 'detection_gap_seconds_sum', { status: 'EXECUTING' })).toBeCloseTo(5.2);
  });

  it('adds up overtaken polls', async () => {
    meter.of('http').stale(3);
    meter.of('http').stale(0);
    meter.of('http').stale(2);
    expect((await scrape()).value('paybell_stale_polls_total', { provider: 'http' })).toBe(5);
  });

  it('is not spoilt, and nobody is stopped, by a clock that was set back or by what is no number', async () => {
    meter.of('http').requested(1_000);
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -5]) {
      meter.of('http').requested(bad);
      meter.of('http').detected('FAILED', bad);
      meter.of('http').stale(bad);
    }
    const scraped = await scrape();
    expect(ofHttp(scraped, 'provider_request_duration_seconds_sum')).toBe(1);
    expect(ofHttp(scraped, 'provider_request_duration_seconds_count')).toBe(2);
    expect(ofHttp(scraped, 'detection_gap_seconds_sum', { status: 'FAILED' })).toBe(0);
    expect(ofHttp(scraped, 'stale_polls_total')).toBe(0);
    expect(ofHttp(scraped, 'provider_requests_total')).toBe(5);
  });
});

describe('what the database reports', () => {
  it('is shown in seconds, by name, with a zero where nothing is open', async () => {
    const scraped = await scrape();
    const open = (status: string, name: string): number | undefined =>
      ofHttp(scraped, 'open_payments', { status, class: name });
    expect([open('EXECUTING', 'in_flight'), open('AWAITING_DEPOSIT', 'unattended')]).toEqual([12, 300]);
    expect([open('AWAITING_DEPOSIT', 'attended'), open('EXPIRED', 'watching')]).toEqual([0, 0]);
    expect(open('COMPLETED', 'watching')).toBeUndefined();
    expect(ofHttp(scraped, 'schedule_lag_seconds')).toBe(1.5);
    expect(scraped.value('paybell_event_log_held_seconds')).toBe(31.5);
    expect(scraped.value('paybell_database_epoch')).toBe(478_000);
    expect(ofHttp(scraped, 'budget_limit_per_minute')).toBe(189);
    expect(ofHttp(scraped, 'budget_available')).toBe(4);
    const scale = ['in_flight', 'attended', 'unattended', 'watching'].map((name) =>
      ofHttp(scraped, 'interval_scale', { class: name }),
    );
    expect(scale).toEqual([1, 1.5, 9, 10]);
    expect(scraped.value('paybell_database_up')).toBe(1);
  });

  it.each(['closed', 'open', 'credentials', 'paused'] as const)(
    'shows a circuit that is %s as one 1',
    async (now) => {
      const scraped = await scrape({
        ...FIGURES,
        providers: [{ ...OF_HTTP, asking: { ...ASKING, circuit: now } }],
      });
      const states = ['closed', 'open', 'credentials', 'paused'];
      const shown = states.filter((state) => ofHttp(scraped, 'provider_circuit', { state }) === 1);
      expect([shown, scraped.samplesOf('paybell_provider_circuit').length]).toEqual([[now], 4]);
    },
  );

  it('shows how late a change is noticed, and what is needed, while the budget is too small', async () => {
    const short = {
      change: 'deposit',
      noticedAfterMs: 430_000,
      neededPerMinute: 900,
      hasPerMinute: 6,
    } as const;
    const shown = async (asking: AskingFigures): Promise<unknown> => {
      const scraped = await scrape({ ...FIGURES, providers: [{ ...OF_HTTP, asking }] });
      const after = ['deposit', 'completion'].map((change) =>
        ofHttp(scraped, 'noticed_after_seconds', { change }),
      );
      const [needed, unread] = ['budget_needed_per_minute', 'provider_lists_unread'].map((name) =>
        ofHttp(scraped, name),
      );
      return { after, needed, unread };
    };
    expect(await shown({ ...ASKING, short, isUnread: true })).toEqual({
      after: [430, 0],
      needed: 900,
      unread: 1,
    });
    expect(await shown(ASKING)).toEqual({ after: [0, 0], needed: 0, unread: 0 });
  });

  it('shows what needs a person, 0 for a code that is closed, and nothing of a code that is not known now', async () => {
    const items = async (open: readonly OpenCount[]): Promise<unknown> =>
      (await scrape(FIGURES, open))
        .samplesOf('paybell_attention_items')
        .map(({ labels, value }) => [labels['code'], labels['severity'], value]);
    expect(await items(OPEN)).toEqual([
      ['payments_stalled', 'bad', 3],
      ['payments_late', 'warn', 0],
    ]);
    const away = { code: 'database_failing', severity: 'bad', count: 1 } as const;
    expect(await items([away])).toEqual([['database_failing', 'bad', 1]]);
  });

  it('has no budget in it where there is no limit', async () => {
    const budget = { perMinute: Number.POSITIVE_INFINITY, available: Number.POSITIVE_INFINITY };
    await scrape();
    const scraped = await scrape({ ...FIGURES, providers: [{ ...OF_HTTP, asking: { ...ASKING, budget } }] });
    expect(scraped.samplesOf('paybell_budget_limit_per_minute')).toEqual([]);
    expect(scraped.samplesOf('paybell_budget_available')).toEqual([]);
    expect(ofHttp(scraped, 'schedule_lag_seconds')).toBe(1.5);
  });

  it('is shown for each provider, and only what is known of one that is left', async () => {
    const asking = { ...ASKING, circuit: 'closed' as const, isUnread: true };
    const relay = { ...OF_HTTP, provider: 'relay', asking };
    const schedule = { open: [], lagMs: 0 };
    const left = { provider: 'oneclick', schedule, unansweredQuotes: 0, asking: null };
    const scraped = await scrape({ ...FIGURES, providers: [OF_HTTP, relay, left] });
    const of = (name: string, labels: Record<string, string> = {}): (number | undefined)[] =>
      ['http', 'relay', 'oneclick'].map((provider) => scraped.value(name, { provider, ...labels }));
    expect(of('paybell_provider_circuit', { state: 'open' })).toEqual([1, 0, undefined]);
    expect(of('paybell_budget_available')).toEqual([4, 4, undefined]);
    expect(of('paybell_provider_lists_unread')).toEqual([0, 1, undefined]);
    expect(of('paybell_schedule_lag_seconds')).toEqual([1.5, 1.5, 0]);
    expect(of('paybell_unanswered_quotes')).toEqual([250, 250, 0]);
    expect(of('paybell_open_payments', { status: 'EXECUTING', class: 'in_flight' })).toEqual([12, 12, 0]);
    await scrape();
    expect((await scrape()).value('paybell_schedule_lag_seconds', { provider: 'relay' })).toBeUndefined();
  });

  it('goes away with the database, and comes back with it', async () => {
    meter.of('http').polled('changed', URGENCY.attended);
    const before = await scrape();
    const away = await scrape(null);
    const fromDatabase = [
      'oldest_undelivered_seconds',
      'webhook_endpoints',
      'open_payments',
      'unanswered_quotes',
      'schedule_lag_seconds',
      'event_log_held_seconds',
      'database_epoch',
      'budget_limit_per_minute',
      'budget_available',
    ];
    for (const name of [...fromDatabase, 'interval_scale', 'provider_circuit'])
      expect([name, away.samplesOf(`paybell_${name}`)]).toEqual([name, []]);
    expect(away.value('paybell_database_up')).toBe(0);
    expect(away.value('paybell_polls_total', { provider: 'http', outcome: 'changed' })).toBe(1);
    expect([...away.families.keys()]).toEqual([...before.families.keys()]);
    const back = await scrape();
    expect(back.samples().length).toBe(before.samples().length);
  });

  it('shows deliveries: the oldest by its cause, and endpoints by their state, with zeros for the others', async () => {
    const scraped = await scrape();
    const oldest = (destination: string, cause: string): number | undefined =>
      scraped.value('paybell_oldest_undelivered_seconds', { destination, cause });
    expect(
      ['waiting', 'failing', 'circuit_open', 'disabled'].map((cause) => oldest('webhook', cause)),
    ).toEqual([0, 90.5, 0, 3_600]);
    expect([oldest('rabbitmq', 'waiting'), oldest('rabbitmq', 'failing')]).toEqual([0.02, 0]);
    expect(scraped.samplesOf('paybell_oldest_undelivered_seconds')).toHaveLength(6);
    const states = ['ok', 'refusing', 'failing', 'open', 'recovering', 'disabled'];
    expect(states.map((state) => scraped.value('paybell_webhook_endpoints', { state }))).toEqual([
      7, 0, 0, 2, 0, 0,
    ]);
    expect(scraped.value('paybell_webhook_secrets_unreadable', {})).toBe(3);
  });

  it('forgets what was delivered since, and what is no longer open', async () => {
    await scrape();
    const scraped = await scrape({
      ...FIGURES,
      providers: [{ ...OF_HTTP, schedule: { open: [], lagMs: 0 } }],
      deliveries: { oldest: [], endpoints: [], unreadableSecrets: 0, untold: NOTHING_UNTOLD },
    });
    const names = [
      'oldest_undelivered_seconds',
      'webhook_endpoints',
      'open_payments',
      'schedule_lag_seconds',
    ];
    for (const name of names) {
      const values = scraped.samplesOf(`paybell_${name}`).map(({ value }) => value);
      expect([name, new Set(values)]).toEqual([name, new Set([0])]);
    }
  });
});

describe('a scrape', () => {
  it('is version 0.0.4 of the text format, with each series once', async () => {
    const { contentType, text } = await metrics.render(FIGURES, OPEN);
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(new PrometheusText(text).samples().length).toBeGreaterThan(100);
  });

  it('names ours as Prometheus wants it: counters end in _total, and nothing else does', async () => {
    const ours = [...(await scrape()).families].filter(([name]) => name.startsWith('paybell_'));
    expect(ours.length).toBeGreaterThan(10);
    for (const [name, { type }] of ours)
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  });

  it('shows the version and the state of the process', async () => {
    const scraped = await scrape(null);
    expect(scraped.value('paybell_build_info', { version: VERSION })).toBe(1);
    expect(scraped.value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(scraped.families.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  });

  it('is of its own registry: two processes in one do not mix, and the global one stays empty', async () => {
    const other = new Registry();
    new ProcessMeter(other, DESTINATION_KINDS, new FigureCounter()).of('http');
    meter.of('http').polled('changed', URGENCY.attended);
    const text = new PrometheusText(await other.metrics());
    expect(text.value('paybell_polls_total', { provider: 'http', outcome: 'changed' })).toBe(0);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('does not mix two that are made at once', async () => {
    const [one, none] = await Promise.all([scrape(FIGURES), scrape(null)]);
    expect([one.value('paybell_database_up'), none.value('paybell_database_up')]).toEqual([1, 0]);
    expect(one.value('paybell_schedule_lag_seconds', { provider: 'http' })).toBe(1.5);
    expect(none.samplesOf('paybell_schedule_lag_seconds')).toEqual([]);
  });
});
