import { Writable } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { cursorOf, LOG_START, type LogPosition } from '../../src/domain/event/log-position.ts';
import { MAX_BUFFERED_BYTES, MAX_STALLED_MS } from '../../src/features/events/stream-client.ts';
import { ShownState } from '../../src/features/events/shown-state.ts';
import type { StreamFilter } from '../../src/features/events/stream-batch.ts';
import { Streams } from '../../src/features/events/streams.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { FakeEventLog } from '../support/fakes/event-log.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const ALL: StreamFilter = { types: [], payment: null };
const KIB = 1_024;

/** A client whose connection takes bytes only while it reads. */
class Listener extends Writable {
  text = '';
  largestBuffer = 0;
  private reading = true;
  private held: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.largestBuffer = Math.max(this.largestBuffer, this.writableLength);
    const take = (): void => {
      this.text += chunk.toString();
      done();
    };
    if (this.reading) take();
    else this.held.push(take);
  }

  stopReading(): void {
    this.reading = false;
  }

  readOn(): void {
    this.reading = true;
    for (const take of this.held.splice(0)) take();
  }

  get ids(): string[] {
    return [...this.text.matchAll(/^id: (.+)\nevent: /gm)].map(([, id]) => id ?? '');
  }
}

let log: FakeEventLog;
let wakeSignals: DeliverySignals;
let meter: FakeMeter;
let streams: Streams;

beforeEach(() => {
  log = new FakeEventLog();
  wakeSignals = new DeliverySignals();
  meter = new FakeMeter();
  streams = new Streams(log, wakeSignals, meter);
});
afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  streams.onModuleDestroy();
  await streams.beforeApplicationShutdown();
});

async function listen(
  from: LogPosition | null = null,
  filter = ALL,
  isAllowed?: () => Promise<boolean>,
  keyName = 'shop',
) {
  const listener = new Listener();
  const end = await streams.now();
  streams.open(listener, { keyName, filter, from: from ?? end, isAllowed }, end);
  return listener;
}

it('look for the end of the log together when they begin at once', async () => {
  const end = jest.spyOn(log, 'end');
  const ends = await Promise.all(Array.from({ length: 1_500 }, () => streams.now()));
  expect([end.mock.calls.length, new Set(ends.map(cursorOf)).size]).toEqual([1, 1]);
  await streams.now();
  expect(end).toHaveBeenCalledTimes(2);
});

function happen(count: number, quoteId = 'q-1', more = ''): string[] {
  const ids = Array.from({ length: count }, () => log.append('payment.updated', quoteId, more).id);
  wakeSignals.streams.wake();
  return ids;
}

describe('a stream', () => {
  beforeEach(() => streams.onApplicationBootstrap());

  it('sends what happens from now on, each event as id, event and the lines of its data', async () => {
    happen(3);
    const from = await log.end();
    const listener = await listen();
    const event = log.append('payment.completed', 'q-1', ',\n"a":\r\n1');
    wakeSignals.streams.wake();
    await waitFor(() => listener.ids.length === 1);
    const data = event.body.split(/\r?\n/).map((line) => `data: ${line}\n`);
    expect(data).toHaveLength(3);
    const frame = `id: ${event.id}\nevent: payment.completed\n${data.join('')}\n`;
    expect(listener.text).toBe(`retry: 2000\nid: ${cursorOf(from)}\n\n${frame}`);
  });

  it('begins after an event, with whatever happens while it catches up', async () => {
    const before = happen(400);
    const listener = await listen(log.events[99]?.position);
    const during: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      during.push(...happen(7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const expected = [...before.slice(100), ...during];
    await waitFor(() => listener.ids.length >= expected.length);
    expect(listener.ids).toEqual(expected);
  });

  it('sends a payment from its first event on, and no other', async () => {
    happen(5, 'q-2');
    const first = happen(3, 'q-1');
    happen(5, 'q-2');
    const listener = await listen(LOG_START, { types: [], payment: { id: 'q-1', quoteId: 'q-1' } });
    await waitFor(() => listener.ids.length === 3);
    happen(5, 'q-2');
    const next = happen(2, 'q-1');
    await waitFor(() => listener.ids.length === 5);
    expect(listener.ids).toEqual([...first, ...next]);
  });

  it('sends only the types that it was asked for', async () => {
    const listener = await listen(null, { types: ['payment.failed'], payment: null });
    happen(2);
    const { id } = log.append('payment.failed');
    happen(2);
    const other = await listen(LOG_START, { types: ['payment.failed'], payment: null });
    await waitFor(() => listener.ids.length === 1 && other.ids.length === 1);
    expect([listener.ids, other.ids]).toEqual([[id], [id]]);
  });

  it('shares one reading of the log with all others', async () => {
    const listeners = await Promise.all(Array.from({ length: 200 }, () => listen()));
    log.reads.length = 0;
    const ids = happen(20);
    await waitFor(() => listeners.every((listener) => listener.ids.length === 20));
    for (const listener of listeners) expect(listener.ids).toEqual(ids);
    expect(log.reads.filter(({ limit }) => limit !== 500)).toEqual([]);
    expect(log.reads.length).toBeLessThan(10);
  });

  it('reads what many have missed once for all of them', async () => {
    for (let each = 0; each < 500; each += 1) log.append('payment.updated');
    const places = [LOG_START, { rank: 7n, position: 7n }];
    const listeners = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => listen(places[index % places.length])),
    );
    await waitFor(() => listeners.every(({ ids }) => ids.includes(log.events.at(-1)?.id ?? '')));
    const all = log.events.map(({ id }) => id);
    for (const [index, { ids }] of listeners.entries())
      expect(ids).toEqual(all.slice(index % 2 === 0 ? 0 : 7));
    expect(log.reads.length).toBeLessThan(100);
  });

  it('costs the database nothing once nobody listens', async () => {
    const listener = await listen();
    await waitFor(() => log.reads.length > 0);
    listener.destroy();
    await waitFor(() => meter.streams === 0);
    wakeSignals.streams.wake();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const count = log.reads.length;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(log.reads).toHaveLength(count);
    expect((await listen()).ids).toEqual([]);
    await waitFor(() => log.reads.length > count);
  });

  it('goes on when the database was away', async () => {
    const listener = await listen();
    log.failure = new StoreUnavailable();
    const ids = happen(3);
    await waitFor(() => log.reads.length > 2);
    log.failure = null;
    await waitFor(() => listener.ids.length === 3);
    expect(listener.ids).toEqual(ids);
  });
});

describe('a client that does not read', () => {
  beforeEach(() => streams.onApplicationBootstrap());

  it('holds a bounded part of what happens in memory, and gets all of it once it reads', async () => {
    const slow = await listen();
    const fast = await listen();
    const start = happen(1);
    await waitFor(() => slow.ids.length === 1 && fast.ids.length === 1);
    slow.stopReading();
    const ids = [...start];
    for (let round = 0; round < 50; round += 1) {
      ids.push(...happen(100, 'q-1', `,"x":"${'x'.repeat(KIB)}"`));
      await waitFor(() => fast.ids.length === ids.length);
    }
    expect(ids).toHaveLength(5_001);
    // The last part may exceed the bound.
    expect(slow.writableLength).toBeLessThanOrEqual(2 * MAX_BUFFERED_BYTES);
    slow.readOn();
    await waitFor(() => slow.ids.length === ids.length);
    expect(slow.ids).toEqual(ids);
    expect(slow.largestBuffer).toBeLessThanOrEqual(2 * MAX_BUFFERED_BYTES);
  });

  it('is ended after a minute, while the others go on', async () => {
    const [slow, fast] = [await listen(), await listen()];
    slow.stopReading();
    happen(200, 'q-1', `,"x":"${'x'.repeat(KIB)}"`);
    await waitFor(() => fast.ids.length === 200);
    const now = performance.now();
    tickAt(now, MAX_STALLED_MS - 1_000);
    expect(slow.destroyed).toBe(false);
    tickAt(now, MAX_STALLED_MS + 1_000);
    expect([slow.destroyed, fast.destroyed]).toEqual([true, false]);
    await waitFor(() => meter.streams === 1);
  });
});

/** Runs the check of every 15 s, as if this time had passed since `now`. */
function tickAt(now: number, ms: number): void {
  const later = jest.spyOn(performance, 'now').mockReturnValue(now + ms);
  (streams as unknown as { tick(): void }).tick();
  later.mockRestore();
}

describe('the streams of a process', () => {
  it('send a comment every 15 s', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    streams.onApplicationBootstrap();
    const listener = await listen();
    jest.advanceTimersByTime(15_000);
    expect(listener.text).toBe('retry: 2000\nid: 0-0\n\n:\n\n');
    jest.advanceTimersByTime(30_000);
    expect(listener.text).toBe('retry: 2000\nid: 0-0\n\n:\n\n:\n\n:\n\n');
    jest.advanceTimersByTime(10_000);
  });

  it('end within a second for a client whose key was revoked', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
    streams.onApplicationBootstrap();
    let isKnown = true;
    const listener = await listen(null, ALL, async () => isKnown);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(listener.writableEnded).toBe(false);
    isKnown = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect([listener.writableEnded, meter.streams]).toEqual([true, 0]);
  });

  it('are counted, and no more than 5,000', async () => {
    const keys = ['shop', 'ops'];
    const listeners = await Promise.all(
      Array.from({ length: 5_000 }, (_none, index) => listen(null, ALL, undefined, keys[index % 2])),
    );
    expect(meter.streams).toBe(5_000);
    expect(() => streams.checkRoom('new')).toThrow(expect.objectContaining({ code: 'streams_full' }));
    listeners[7]?.destroy();
    await waitFor(() => meter.streams === 4_999);
    expect(() => streams.checkRoom('new')).not.toThrow();
  });

  it('are not taken by one key alone', async () => {
    const listeners = await Promise.all(Array.from({ length: 2_500 }, () => listen()));
    expect(() => streams.checkRoom('shop')).toThrow(expect.objectContaining({ code: 'too_many_streams' }));
    expect(() => streams.checkRoom('ops')).not.toThrow();
    listeners[0]?.destroy();
    await waitFor(() => meter.streams === 2_499);
    expect(() => streams.checkRoom('shop')).not.toThrow();
  });

  it('are counted no more once they are given up, even if their connection is never closed', async () => {
    const hanging = await listen();
    Object.assign(hanging, { _destroy: () => undefined });
    hanging.stopReading();
    streams.onApplicationBootstrap();
    happen(200, 'q-1', `,"x":"${'x'.repeat(KIB)}"`);
    await waitFor(() => hanging.writableLength > MAX_BUFFERED_BYTES);
    tickAt(performance.now(), MAX_STALLED_MS + 1_000);
    await waitFor(() => meter.streams === 0);
  });

  it('end at a stop, at once, those that do not read too, and none begins after it', async () => {
    streams.onApplicationBootstrap();
    const [slow, fast] = [await listen(), await listen()];
    slow.stopReading();
    happen(200, 'q-1', `,"x":"${'x'.repeat(KIB)}"`);
    await waitFor(() => fast.ids.length === 200);
    streams.onModuleDestroy();
    expect([slow.destroyed, fast.writableEnded]).toEqual([true, true]);
    await streams.beforeApplicationShutdown();
    expect(() => streams.checkRoom('shop')).toThrow(expect.objectContaining({ code: 'streams_full' }));
    await waitFor(() => meter.streams === 0);
  });
});

it('the state in place of events is read once for those that come meanwhile, and again after a failure', async () => {
  const written: string[] = [];
  const answers: (string | Error | null)[] = ['a', 'a', new StoreUnavailable(), 'b', null];
  let reads = 0;
  const read = async (): Promise<string | null> => {
    const answer = answers[reads++] ?? null;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const state = new ShownState(
    read,
    (frame) => void written.push(frame),
    () => void written.push('end'),
  );
  await Promise.all([state.refresh(), state.refresh(), state.refresh()]);
  expect([reads, written]).toEqual([2, ['a']]);
  state.retry();
  expect(reads).toBe(2);
  await state.refresh();
  expect([reads, written]).toEqual([3, ['a']]);
  state.retry();
  await waitFor(() => written.length === 2);
  await state.refresh();
  expect(written).toEqual(['a', 'b', 'end']);
});
