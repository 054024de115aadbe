import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresMinuteFigures } from '../../src/database/figures/minute-figures.store.ts';
import { PostgresReplicas } from '../../src/database/figures/replicas.store.ts';
import type { Counts } from '../../src/domain/figures/counts.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/figures/time-ranges.ts';
import type {
  FigureBatch,
  MinuteFigures,
  ProviderCounts,
  TargetCounts,
} from '../../src/ports/minute-figures.ts';
import type { Refusal } from '../../src/ports/provider-view.ts';
import type { ReplicaState } from '../../src/ports/replicas.ts';
import type { TestDatabase } from '../support/database.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { addDestination, emptyTables, openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const ENDPOINT = '6d1f1f0e-0000-4000-8000-000000000001';
const QUIET_ENDPOINT = '6d1f1f0e-0000-4000-8000-000000000002';

const replicaOf = (id: string): ReplicaState => ({
  id,
  roles: ['api', 'tracker'],
  release: '1.0.0',
  startedAt: new Date(NOON),
  settings: { RABBITMQ_URL: 'unset' },
  providers: { http: { detail: null, isKeyRefused: false, slowMs: null, refusals: [] } },
  troubles: {},
  rpcs: [{ chainId: 8453, problem: 'stuck', rpcs: ['a.example'], detail: 'It is.', since: new Date(NOON) }],
});

let db: TestDatabase;
let stores: Stores;
/** The stores of figures of two replicas. */
let one: MinuteFigures;
let two: MinuteFigures;
let [first, second] = [replicaOf(randomUUID()), replicaOf(randomUUID())];

beforeAll(async () => {
  const opened = await openReplicas();
  ({ db, one: stores } = opened);
  one = new PostgresMinuteFigures(stores.database);
  two = new PostgresMinuteFigures(opened.two.database);
  for (const id of [ENDPOINT, QUIET_ENDPOINT]) await addDestination(db, { id });
  await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
});
beforeEach(async () => {
  await emptyTables(db, 'figure', 'replica_state', 'replica');
  [first, second] = [replicaOf(randomUUID()), replicaOf(randomUUID())];
});

function batch(
  number: number,
  minute: number,
  all: Counts,
  destinations: readonly TargetCounts[] = [],
  providers: readonly ProviderCounts[] = [],
): FigureBatch {
  return { number, at: new Date(NOON + minute * MINUTE_MS), all, destinations, providers };
}

const minutes = (from: number, to: number) => ({
  from: NOON + from * MINUTE_MS,
  to: NOON + to * MINUTE_MS,
});

describe('minute figures that two replicas share', () => {
  it('add up what the replicas counted in the same minute', async () => {
    await Promise.all([
      one.write(first, batch(1, 0, { 'polls.changed': 2, delivered: 1 })),
      two.write(second, batch(1, 0, { 'polls.changed': 3, 'failed.timeout': 4 })),
    ]);
    const counts = { 'polls.changed': 5, delivered: 1, 'failed.timeout': 4 };
    expect(await one.series(null, minutes(0, 1), MINUTE_MS, 'minute')).toEqual([
      { at: new Date(NOON), counts },
    ]);
  });

  it('count a batch once that is written again, since nobody knows whether it was', async () => {
    for (let tries = 0; tries < 2; tries += 1) await one.write(first, batch(1, 0, { delivered: 7 }));
    await one.write(first, batch(2, 1, { delivered: 1 }));
    await one.write(first, null);
    expect(await two.sum(null, minutes(0, 5))).toEqual({ delivered: 8 });
  });

  it('are answered by steps, from minutes or from hours, without the empty ones', async () => {
    for (const [index, minute] of [0, 4, 5, 61, 125].entries())
      await one.write(first, batch(index + 1, minute, { delivered: 10 ** index }));
    const at = async (stepMs: number, length: 'minute' | 'hour'): Promise<unknown[]> =>
      (await two.series(null, minutes(0, 180), stepMs, length)).map(({ at, counts }) => [
        (at.getTime() - NOON) / MINUTE_MS,
        counts['delivered'],
      ]);
    const byFive = [
      [0, 11],
      [5, 100],
      [60, 1_000],
      [125, 10_000],
    ];
    const byHour = [
      [0, 111],
      [60, 1_000],
      [120, 10_000],
    ];
    expect(await at(5 * MINUTE_MS, 'minute')).toEqual(byFive);
    expect(await at(HOUR_MS, 'minute')).toEqual(byHour);
    expect(await at(HOUR_MS, 'hour')).toEqual(byHour);
    expect(await two.series(null, minutes(4, 5), MINUTE_MS, 'minute')).toHaveLength(1);
  });

  it('sum a range to the minute, hours in its middle or not', async () => {
    for (let minute = 0; minute < 240; minute += 7)
      await one.write(first, batch(minute + 1, minute, { delivered: minute }));
    for (const [from, to] of [
      [0, 240],
      [7, 8],
      [50, 185],
      [59, 61],
      [60, 120],
      [61, 119],
    ] as const) {
      const expected = Array.from({ length: 240 }, (_, minute) => minute)
        .filter((minute) => minute % 7 === 0 && minute >= from && minute < to)
        .reduce((sum, minute) => sum + minute, 0);
      const { delivered = 0 } = await one.sum(null, minutes(from, to));
      expect([from, to, delivered]).toEqual([from, to, expected]);
    }
  });

  it('keep each destination apart, and leave out one that nothing happened at', async () => {
    const atEndpoint = { destinationId: ENDPOINT, counts: { delivered: 2, 'failed.status': 1 } };
    const atExchange = { destinationId: EXCHANGE_ID, counts: { delivered: 9 } };
    const gone = { destinationId: randomUUID(), counts: { delivered: 1 } };
    await one.write(first, batch(1, 0, { delivered: 12 }, [atEndpoint, gone]));
    await two.write(second, batch(1, 61, { delivered: 9 }, [atExchange, atEndpoint]));
    const sums = await one.sumsOfDestinations(minutes(0, 180), null);
    expect(sums.toSorted((a, b) => a.kind.localeCompare(b.kind)).map(({ counts }) => counts)).toEqual([
      { delivered: 9 },
      { delivered: 4, 'failed.status': 2 },
    ]);
    expect(await one.sumsOfDestinations(minutes(0, 60), ENDPOINT)).toEqual([
      { ...atEndpoint, kind: 'webhook' },
    ]);
    expect(await one.series({ destinationId: ENDPOINT }, minutes(60, 120), HOUR_MS, 'hour')).toEqual([
      { at: new Date(NOON + HOUR_MS), counts: atEndpoint.counts },
    ]);
  });

  it('keep each provider apart, and are not those of a destination', async () => {
    const atHttp = { provider: 'http', counts: { 'polls.changed': 2 } };
    const atRelay = { provider: 'relay', counts: { 'polls.changed': 5, r17: 3 } };
    await one.write(first, batch(1, 0, { 'polls.changed': 7, r17: 3 }, [], [atHttp, atRelay]));
    await two.write(second, batch(1, 1, { 'polls.changed': 2 }, [], [atHttp]));
    expect(await one.sum({ provider: 'http' }, minutes(0, 60))).toEqual({ 'polls.changed': 4 });
    expect(await one.sum({ provider: 'relay' }, minutes(0, 60))).toEqual(atRelay.counts);
    expect(await one.sum({ provider: 'oneclick' }, minutes(0, 60))).toEqual({});
    expect(await one.sum(null, minutes(0, 60))).toEqual({ 'polls.changed': 9, r17: 3 });
    expect(await one.series({ provider: 'http' }, minutes(0, 60), MINUTE_MS, 'minute')).toEqual([
      { at: new Date(NOON), counts: atHttp.counts },
      { at: new Date(NOON + MINUTE_MS), counts: atHttp.counts },
    ]);
    expect(await one.sumsOfDestinations(minutes(0, 60), null)).toEqual([]);
  });

  it('go in batches once they are too old, and not before', async () => {
    for (const [index, minute] of [0, 1, 2, 60].entries())
      await one.write(first, batch(index + 1, minute, { delivered: 1 }));
    const before = new Date(NOON + 2 * MINUTE_MS);
    // Removes the rows of two minutes, and of the hour that contains them.
    expect(await one.removeBefore(before, 2)).toEqual({ count: 2, isMore: true });
    expect(await one.removeBefore(before, 2)).toEqual({ count: 1, isMore: false });
    const left = await one.series(null, minutes(0, 120), MINUTE_MS, 'minute');
    expect(left.map(({ at }) => at.getTime() - NOON)).toEqual([2 * MINUTE_MS, HOUR_MS]);
  });
});

describe('the replicas', () => {
  const replicas = (): PostgresReplicas => new PostgresReplicas(stores.database);
  const refusal: Refusal = {
    at: new Date(NOON),
    asked: 'status',
    kind: 'unavailable',
    httpStatus: 503,
    message: 'status 503',
  };

  /** Writes a beat, as HistoryWatch does every five seconds. */
  async function beat(id: string, ago: string): Promise<void> {
    await db.query(`INSERT INTO replica (id, beat, seen_at) VALUES ($1, 1, now() - $2::interval)`, [id, ago]);
  }

  it('are seen with what they say of themselves, until they stop or are silent', async () => {
    const providers = {
      http: { detail: 'timeout', isKeyRefused: false, slowMs: null, refusals: [refusal] },
      relay: { detail: null, isKeyRefused: true, slowMs: 7, refusals: [] },
    };
    await one.write(first, null);
    await one.write({ ...first, providers }, batch(1, 0, { delivered: 1 }));
    await two.write(second, null);
    await beat(first.id, '1 second');
    await beat(second.id, '40 seconds');
    const seenAt = expect.any(Date);
    expect(await replicas().recent()).toEqual([
      { ...first, providers, seenAt, isAlive: true },
      { ...second, seenAt, isAlive: false },
    ]);
    await replicas().remove(first.id);
    await db.query(`UPDATE replica SET seen_at = now() - interval '61 minutes'`);
    expect(await replicas().recent()).toEqual([]);
  });

  it('leave no row behind for longer than a day', async () => {
    await one.write(first, null);
    await one.write(second, null);
    await beat(first.id, '1 second');
    await beat(second.id, '25 hours');
    await replicas().remove(first.id);
    expect(await db.query(`SELECT id FROM replica_state`)).toEqual([]);
  });
});
