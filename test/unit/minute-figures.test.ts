import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Registry } from 'prom-client';

import { slidingMinute, countsUnder, latencyIn, type Counts } from '../../src/domain/figures/counts.ts';
import { BUCKET_BOUNDS_MS, BUCKETS, bucketOf, latencyOf } from '../../src/domain/figures/latency.ts';
import { MINUTE_MS, type FigureLength, type TimeRange } from '../../src/domain/figures/time-ranges.ts';
import { URGENCY } from '../../src/domain/polling/urgency.ts';
import { FigureWriter } from '../../src/features/figures/figure-writer.ts';
import { FiguresController } from '../../src/features/figures/figures.controller.ts';
import { FigureCounter } from '../../src/platform/metrics/figure-counter.ts';
import { ProcessMeter } from '../../src/platform/metrics/process-meter.ts';
import type { ChainWitness } from '../../src/ports/chain-witness.ts';
import { SingleTargets } from '../../src/ports/destinations.ts';
import { MinuteFigures, type FigureBatch, type FigureTarget } from '../../src/ports/minute-figures.ts';
import { POLL_OUTCOMES } from '../../src/ports/meter.ts';
import type { ProviderView } from '../../src/ports/provider-view.ts';
import { ConnectionHealths } from '../../src/ports/readiness.ts';
import type { Replicas, ReplicaState } from '../../src/ports/replicas.ts';
import { DESTINATION_KINDS, EXCHANGE_ID } from '../support/destination-kinds.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { FeatureApp } from '../support/feature-app.ts';
import { cellsOf } from '../support/cells.ts';

const STUCK = { chainId: 1, problem: 'stuck', rpcs: ['a.example'], detail: '', since: new Date(0) } as const;
const ENDPOINT = '6d1f1f0e-0000-4000-8000-000000000001';
const WEBHOOK = { kind: 'webhook', id: ENDPOINT };
const NOON = Date.parse('2026-11-20T12:00:00.000Z');

afterEach(() => void jest.restoreAllMocks());

function countsOf(durations: readonly number[]): number[] {
  const counts = Array<number>(BUCKETS).fill(0);
  for (const ms of durations) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
}

describe('a latency', () => {
  it('is in a bucket whose bounds hold it, from nothing to more than a week', () => {
    expect(BUCKET_BOUNDS_MS.slice(0, 7)).toEqual([1, 1.5, 2, 3, 5, 7, 10]);
    expect(BUCKET_BOUNDS_MS.at(-1)).toBe(700_000_000);
    for (const ms of [-5, 0, 1, 1.2, 41, 15_000, 273_600_000, 1e12]) {
      const bucket = bucketOf(ms);
      expect(ms).toBeLessThanOrEqual(BUCKET_BOUNDS_MS[bucket] ?? Infinity);
      if (bucket > 0) expect(ms).toBeGreaterThan(BUCKET_BOUNDS_MS[bucket - 1] ?? 0);
    }
  });

  it('has quantiles that are off by less than half of themselves', () => {
    const durations = Array.from({ length: 1_000 }, (_, index) => 20 + index * 3);
    const { count, p50, p95, p99 } = latencyOf(countsOf(durations));
    expect(count).toBe(1_000);
    for (const [shown, exact] of [
      [p50, 1_520],
      [p95, 2_870],
      [p99, 2_990],
    ] as const)
      expect(Math.abs((shown ?? 0) - exact) / exact).toBeLessThan(0.5);
    expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  });

  it('has the same quantiles whether it was counted by one replica or by two', () => {
    const [one, two] = [countsOf([5, 80, 900]), countsOf([7, 7, 30_000, 2])];
    const added = one.map((count, bucket) => count + (two[bucket] ?? 0));
    expect(latencyOf(added)).toEqual(latencyOf(countsOf([5, 80, 900, 7, 7, 30_000, 2])));
  });

  it('has no quantiles without a measurement', () => {
    expect(latencyOf(countsOf([]))).toEqual({ count: 0, p50: null, p95: null, p99: null });
  });
});

describe('the last minute', () => {
  it('is the present one, and the rest of the one before', () => {
    expect(slidingMinute({ polls: 60, old: 10 }, { polls: 20, young: 3 }, 0.25)).toEqual({
      polls: 65,
      old: 8,
      young: 3,
    });
    expect(slidingMinute({ polls: 60 }, {}, 0)).toEqual({ polls: 60 });
    expect(slidingMinute({ polls: 60 }, { polls: 5 }, 1)).toEqual({ polls: 5 });
  });
});

describe('the meter', () => {
  const counter = new FigureCounter();
  const meter = new ProcessMeter(new Registry(), DESTINATION_KINDS, counter);

  it('counts everything together, and the deliveries of each destination', () => {
    meter.of('http').polled('unchanged', URGENCY.attended);
    meter.of('http').polled('changed', URGENCY.inFlight);
    meter.of('http').requested(41);
    meter.of('http').detected('COMPLETED', 7_010);
    meter.recorded('payment.completed');
    meter.attempted(WEBHOOK, 'timeout', 15_000);
    meter.attempted(WEBHOOK, 'held', 1);
    meter.attempted(WEBHOOK, 'delivered', 30);
    meter.acknowledged(WEBHOOK, 15_100);
    meter.givenUp(WEBHOOK);
    meter.of('relay').polled('unchanged', URGENCY.attended);
    const { all, destinations, providers } = counter.takeCounts();
    expect(countsUnder(all, 'polls')).toEqual({ changed: 1, unchanged: 2 });
    expect(providers.map(({ provider, counts }) => [provider, countsUnder(counts, 'polls')])).toEqual([
      ['http', { changed: 1, unchanged: 1 }],
      ['relay', { unchanged: 1 }],
    ]);
    expect(latencyIn(providers[0]?.counts ?? {}, 'requests').count).toBe(1);
    expect(countsUnder(all, 'class')).toEqual({ attended: 2, in_flight: 1 });
    expect(countsUnder(all, 'changes')).toEqual({ 'payment.completed': 1 });
    expect([all['delivered'], all['givenUp'], countsUnder(all, 'failed')]).toEqual([1, 1, { timeout: 1 }]);
    const counted = (['requests', 'gap', 'attempts', 'latency'] as const).map(
      (name) => latencyIn(all, name).count,
    );
    expect(counted).toEqual([1, 1, 2, 1]);
    const [atEndpoint] = destinations;
    expect(destinations).toHaveLength(1);
    expect(atEndpoint).toEqual({
      destinationId: ENDPOINT,
      counts: expect.objectContaining({ delivered: 1 }),
    });
    expect(Object.keys(atEndpoint?.counts ?? {})).not.toContain('polls.changed');
    expect(counter.takeCounts()).toEqual({ all: {}, destinations: [], providers: [] });
  });

  it('keeps a bounded number of destinations apart, and counts the others in the sum', () => {
    for (let index = 0; index < 2_500; index += 1)
      meter.attempted({ kind: 'webhook', id: `endpoint ${index}` }, 'delivered', 1);
    const { all, destinations } = counter.takeCounts();
    expect([all['delivered'], destinations.length]).toEqual([2_500, 2_000]);
  });
});

describe('the writer of figures', () => {
  let clock: FakeClock;
  let counter: FigureCounter;
  /** Every try of a write: the batch's number, its minute, and its count of deliveries. */
  let tries: unknown[];
  let beats: ReplicaState[];
  let failure: Error | null;
  let removed: string[];
  let writer: FigureWriter;
  const view: ProviderView = { detail: null, isKeyRefused: false, slowMs: null, refusals: [] };

  beforeEach(() => {
    clock = new FakeClock(NOON + 20_000);
    counter = new FigureCounter();
    [tries, beats, failure, removed] = [[], [], null, []];
    const write = async (state: ReplicaState, batch: FigureBatch | null): Promise<void> => {
      beats.push(state);
      if (batch !== null)
        tries.push([batch.number, (batch.at.getTime() - NOON) / MINUTE_MS, batch.all['delivered']]);
      if (failure !== null) throw failure;
    };
    const replicas = { remove: async (id: string) => void removed.push(id) } as unknown as Replicas;
    const replica = { id: 'one', roles: ['tracker'], release: '1.2.3', settings: { PROVIDER: 'a' } };
    writer = new FigureWriter(
      replica,
      counter,
      { write } as unknown as MinuteFigures,
      replicas,
      cellsOf(
        { provider: new FakeProvider('http'), watch: { seen: () => view } },
        { provider: new FakeProvider('relay'), watch: { seen: () => ({ ...view, slowMs: 7 }) } },
      ),
      new ConnectionHealths([]),
      { troubles: () => [STUCK] } as unknown as ChainWitness,
      clock,
      new FakeDatabaseHealth(),
    );
  });

  async function countAndPass(count: number, ms: number): Promise<void> {
    for (let index = 0; index < count; index += 1) counter.count('delivered');
    clock.advance(ms);
    await writer.round();
  }

  it('writes every ten seconds what was counted, to the minute in which it was, and that the process runs', async () => {
    expect(await writer.round()).toBe(10_000);
    await countAndPass(2, 10_000);
    await countAndPass(1, 25_000);
    expect(beats).toHaveLength(3);
    expect(await writer.round()).toBe(5_000);
    await countAndPass(0, 5_000);
    await countAndPass(4, MINUTE_MS);
    expect(tries).toEqual([
      [1, 0, 2],
      [2, 0, 1],
      [3, 1, 4],
    ]);
    expect(beats[0]).toEqual({
      id: 'one',
      roles: ['tracker'],
      release: '1.2.3',
      startedAt: new Date(NOON + 20_000),
      troubles: {},
      rpcs: [STUCK],
      settings: { PROVIDER: 'a' },
      providers: { http: view, relay: { ...view, slowMs: 7 } },
    });
  });

  it('writes what it could not write again as it was, and adds what follows to the minute in which it can', async () => {
    failure = new Error('connection lost');
    await expect(countAndPass(1, MINUTE_MS)).rejects.toThrow('connection lost');
    await expect(countAndPass(2, MINUTE_MS)).rejects.toThrow('connection lost');
    await expect(countAndPass(4, MINUTE_MS)).rejects.toThrow('connection lost');
    failure = null;
    await writer.round();
    await writer.round();
    expect(tries).toEqual([...Array.from({ length: 4 }, () => [1, 0, 1]), [2, 3, 6]]);
  });

  it('writes the rest of the running minute when the process stops, and says goodbye', async () => {
    jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    writer.onApplicationBootstrap();
    await new Promise(setImmediate);
    counter.count('delivered');
    writer.onModuleDestroy();
    counter.count('delivered');
    await writer.onApplicationShutdown();
    expect([tries, removed]).toEqual([[[1, 0, 2]], ['one']]);
  });

  it('says that the figures of the last minute are lost when it cannot write them at the stop', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    writer.onApplicationBootstrap();
    await new Promise(setImmediate);
    writer.onModuleDestroy();
    counter.count('delivered');
    failure = new Error('connection lost');
    await writer.onApplicationShutdown();
    expect(warned.mock.calls).toEqual([['the figures of the last minute were not written: connection lost']]);
  });
});

/** The stored figures after the replicas have counted these numbers in the minute before noon. */
class FiguresOfAMinute {
  counted: ReturnType<FigureCounter['takeCounts']> = { all: {}, destinations: [], providers: [] };
  /** The stored length from which each series was requested. */
  readonly lengths: FigureLength[] = [];

  async series(target: FigureTarget | null, _: TimeRange, stepMs: number, length: FigureLength) {
    this.lengths.push(length);
    const at = new Date(Math.floor((NOON - MINUTE_MS) / stepMs) * stepMs);
    const counts = this.countsOf(target);
    return counts === undefined || Object.keys(counts).length === 0 ? [] : [{ at, counts }];
  }

  async sumsOfDestinations(_: TimeRange, destinationId: string | null) {
    return this.counted.destinations
      .filter((each) => destinationId === null || each.destinationId === destinationId)
      .map((each) => ({ ...each, kind: each.destinationId === EXCHANGE_ID ? 'rabbitmq' : 'webhook' }));
  }

  private countsOf(target: FigureTarget | null): Counts | undefined {
    const { all, destinations, providers } = this.counted;
    if (target === null) return all;
    if ('provider' in target) return providers.find(({ provider }) => provider === target.provider)?.counts;
    return destinations.find(({ destinationId }) => destinationId === target.destinationId)?.counts;
  }
}

describe('GET /api/figures', () => {
  let app: FeatureApp;
  let figures: FiguresOfAMinute;
  let counter: FigureCounter;
  let meter: ProcessMeter;

  beforeEach(async () => {
    figures = new FiguresOfAMinute();
    counter = new FigureCounter();
    meter = new ProcessMeter(new Registry(), DESTINATION_KINDS, counter);
    app = await new FeatureApp([new FakeProvider('relay')]).start(FiguresController, [
      { provide: MinuteFigures, useValue: figures },
      {
        provide: SingleTargets,
        useValue: { idOf: (kind: string) => Promise.resolve(kind === 'rabbitmq' ? EXCHANGE_ID : null) },
      },
    ]);
  });
  afterEach(() => app.stop());

  it.each([
    ['step=30', 'step'],
    ['step=90', 'step'],
    ['step=172800', 'step'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['from=2026-11-20T12:00:00Z&to=2026-11-20T12:00:00Z', 'from'],
    ['endpointId=7', 'endpointId'],
    ['from=2026-11-18T10:59:00Z&to=2026-11-19T12:00:00Z', 'step'],
    ['steps=60', 'steps'],
  ])('refuses ?%s and names the field', async (query, field) => {
    const { status, json } = await app.get(`/api/figures?${query}`);
    expect([status, json.errors[0].field]).toEqual([400, field]);
  });

  it('rounds the range outwards to whole steps, and answers the last hour when it is not asked for another', async () => {
    app.clock.advance(90_000);
    const { json } = await app.get('/api/figures');
    expect(json).toEqual({
      from: '2026-11-20T11:01:00.000Z',
      to: '2026-11-20T12:02:00.000Z',
      step: 60,
      all: [],
      endpoints: [],
    });
    const days = await app.get('/api/figures?step=86400&from=2026-11-10&to=');
    expect([days.json.from, days.json.to]).toEqual(['2026-11-10T00:00:00.000Z', '2026-11-21T00:00:00.000Z']);
  });

  it('answers everything by steps, and each destination as a sum, or by steps if it is asked for', async () => {
    meter.of('http').polled('changed', URGENCY.inFlight);
    meter.recorded('payment.completed');
    meter.attempted(WEBHOOK, 'status', 1_000);
    meter.attempted(WEBHOOK, 'delivered', 1);
    meter.acknowledged(WEBHOOK, 1_000);
    figures.counted = counter.takeCounts();
    const { json } = await app.get('/api/figures?step=300');
    const deliveries = {
      deliveries: { delivered: 1, givenUp: 0, failed: { status: 1 } },
      latency: { count: 1, p50: 850, p95: 985, p99: 997 },
      attempts: { count: 2, p50: 1, p95: 970, p99: 994 },
    };
    const none = { count: 0, p50: null, p95: null, p99: null };
    expect(json.all).toEqual([
      {
        at: '2026-11-20T11:55:00.000Z',
        ...deliveries,
        polls: expect.objectContaining({ changed: 1, unchanged: 0, unavailable: 0 }),
        pollsByClass: { in_flight: 1, attended: 0, unattended: 0, watching: 0 },
        changes: { 'payment.completed': 1 },
        requests: none,
        detectionGap: none,
      },
    ]);
    expect(json.endpoints).toEqual([
      { endpointId: ENDPOINT, destination: 'webhook', ...deliveries, points: [] },
    ]);
    const one = await app.get(`/api/figures?step=3600&endpointId=${ENDPOINT}`);
    expect(one.json.endpoints[0].points).toEqual([{ at: '2026-11-20T11:00:00.000Z', ...deliveries }]);
    expect(figures.lengths).toEqual(['minute', 'hour', 'hour']);
  });

  it('answers what is about one provider, of those that there are', async () => {
    meter.of('http').polled('changed', URGENCY.inFlight);
    meter.of('relay').polled('unavailable', URGENCY.inFlight);
    figures.counted = counter.takeCounts();
    const of = async (query: string) =>
      (await app.get(`/api/figures?step=300${query}`)).json.all.map(({ polls }: { polls: object }) => polls);
    const none = Object.fromEntries(POLL_OUTCOMES.map((outcome) => [outcome, 0]));
    expect(await of('')).toEqual([{ ...none, changed: 1, unavailable: 1 }]);
    expect(await of('&provider=http')).toEqual([{ ...none, changed: 1 }]);
    expect(await of('&provider=relay')).toEqual([{ ...none, unavailable: 1 }]);
    const { status, json } = await app.get('/api/figures?provider=oneclick');
    expect([status, json.errors]).toEqual([
      400,
      [{ field: 'provider', message: 'must be one of http, relay' }],
    ]);
  });

  it('answers the exchange by its kind, as the other routes name it', async () => {
    meter.attempted({ kind: 'rabbitmq', id: EXCHANGE_ID }, 'nack', 2);
    figures.counted = counter.takeCounts();
    const { json } = await app.get('/api/figures?step=3600&endpointId=rabbitmq');
    expect(json.endpoints).toMatchObject([
      { endpointId: 'rabbitmq', destination: 'rabbitmq', deliveries: { failed: { nack: 1 } } },
    ]);
    expect(json.endpoints[0].points).toHaveLength(1);
  });
});
