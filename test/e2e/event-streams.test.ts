import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { endSnippets, run, snippet, type Running } from '../support/doc-snippet.ts';
import { EventStream } from '../support/event-stream.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { PLAIN_STORY, type PublishedEvent } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const CLIENTS = 1_000;
const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];
const PATIENCE = { timeoutMs: 20_000 };

let stage: Stage;
let one: SharedService;
let other: SharedService;

beforeAll(async () => {
  stage = await Stage.open();
  // The provider runs in this process, which also reads a thousand streams.
  const patient = { PROVIDER_TIMEOUT_MS: '15000' };
  [one, other] = [await stage.startWarm(patient), await stage.startWarm(patient)];
});

function listen(
  app: SharedService,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  return EventStream.open(`${app.url}${path}`, { 'x-api-key': app.apiKey, ...headers });
}

function toldBy(stream: EventStream): PublishedEvent[] {
  return stream.events.map(({ data }) => JSON.parse(data) as PublishedEvent);
}

function typesOf(stream: EventStream, quoteId: string): string[] {
  return toldBy(stream).flatMap(({ subject, type }) => (subject === quoteId ? [type] : []));
}

/** From quote to end; each status is published before the next is said. */
async function complete(app: SharedService, quoteId: string): Promise<void> {
  for (const [index, status] of STATUSES.entries()) {
    stage.say([quoteId], status);
    await waitFor(async () => (await stage.eventsOf(app, quoteId)).length === index + 2, PATIENCE);
  }
}

/** The whole log, as a reader gets it, page by page. */
async function readLog(
  app: SharedService,
  more = '',
): Promise<{ events: PublishedEvent[]; nextCursor: string }> {
  const events: PublishedEvent[] = [];
  for (let nextCursor = ''; ;) {
    const page = await jsonOf(await app.fetch(`/api/events?limit=7&after=${nextCursor}${more}`), 200);
    events.push(...(page['data'] as PublishedEvent[]));
    nextCursor = String(page['nextCursor']);
    if ((page['data'] as PublishedEvent[]).length === 0) return { events, nextCursor };
  }
}

describe('GET /api/events', () => {
  it('sends the same events with the same bytes as the payment does', async () => {
    const quoteId = await stage.quote(one, { orderId: 'A-7' });
    await complete(one, quoteId);
    const own = await stage.eventsOf(one, quoteId);
    await waitFor(async () => (await readLog(other, `&quoteId=${quoteId}`)).events.length === 4);
    expect((await readLog(other, `&quoteId=${quoteId}`)).events).toEqual(own);
    expect((await readLog(other, '&orderId=A-7')).events).toEqual(own);
    const all = await (await one.fetch(`/api/events?quoteId=${quoteId}`)).text();
    const theirs = await (await one.fetch(`/api/payments/${quoteId}/events`)).text();
    expect(all.startsWith(theirs.slice(0, -1))).toBe(true);
    const { events, nextCursor } = await readLog(one);
    expect(events.filter(({ subject }) => subject === quoteId)).toEqual(own);
    const next = await stage.quote(other);
    await waitFor(async () => {
      const page = await jsonOf(await one.fetch(`/api/events?after=${nextCursor}`), 200);
      return (page['data'] as PublishedEvent[]).some(({ subject }) => subject === next);
    });
  });
});

describe('GET /api/events/stream', () => {
  it('is what EventSource reads, and no proxy keeps', async () => {
    const stream = await listen(one, '/api/events/stream');
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream/),
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    await waitFor(() => stream.retryMs === 2_000);
    const head = await one.fetch('/api/events/stream', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, stream.headers['content-type']]);
  });

  it('sends what happens from now on, whichever replica recorded it', async () => {
    const streams = await Promise.all([one, other].map((app) => listen(app, '/api/events/stream')));
    const quoteId = await stage.quote(one);
    await complete(other, quoteId);
    for (const stream of streams) {
      await waitFor(() => typesOf(stream, quoteId).length === 4);
      expect(typesOf(stream, quoteId)).toEqual(PLAIN_STORY);
      for (const [index, { id, type }] of toldBy(stream).entries())
        expect(stream.events[index]).toMatchObject({ id, type });
    }
  });

  it('loses nothing for a client that was cut off before its first event', async () => {
    const stream = await listen(one, '/api/events/stream?type=payment.completed');
    await waitFor(() => stream.lastEventId !== '');
    stream.close();
    const quoteId = await stage.quote(one);
    await complete(one, quoteId);
    const resumed = await listen(other, '/api/events/stream?type=payment.completed', {
      'last-event-id': stream.lastEventId,
    });
    await waitFor(() => resumed.events.length > 0);
    expect(toldBy(resumed).map(({ subject }) => subject)).toEqual([quoteId]);
  });

  it('sends all there is to a client whose last event is gone, and says so', async () => {
    const { events } = await readLog(one);
    const gone = { 'last-event-id': '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d' };
    const stream = await listen(one, '/api/events/stream?after=nonsense-that-is-over', gone).catch(
      () => null,
    );
    expect(stream?.status).toBe(400);
    const again = await listen(one, `/api/events/stream?after=${events[0]?.id}`, gone);
    await waitFor(() => again.events.length >= events.length);
    expect(toldBy(again).slice(0, events.length)).toEqual(events);
    expect(again.comments.join()).toContain('not in the log any more');
  });

  it.each([
    ['/api/events/stream?after=00000000-0000-4000-8000-000000000000', 400, 'invalid_request', 'after'],
    ['/api/events/stream?type=payment.vanished', 400, 'invalid_request', 'type'],
    ['/api/payments/%20/stream', 400, 'invalid_request', 'quoteId'],
    ['/api/payments/unknown/stream', 404, 'unknown_payment', null],
  ])('refuses %s with a problem', async (path, status, code, field) => {
    const answer = await one.fetch(path);
    const problem = (await answer.json()) as { code: string; errors?: { field: string }[] };
    expect([answer.status, problem.code, problem.errors?.[0]?.field ?? null]).toEqual([status, code, field]);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });
});

describe('GET /api/payments/{quoteId}/stream', () => {
  it('sends a payment from its first event to its last, and only it', async () => {
    const [quoteId = '', another = ''] = await stage.quotes(one, 2);
    const early = await listen(other, `/api/payments/${quoteId}/stream`);
    await complete(one, quoteId);
    await complete(one, another);
    const late = await listen(other, `/api/payments/${quoteId}/stream`);
    for (const stream of [early, late]) {
      await waitFor(() => stream.events.length >= 4);
      expect(toldBy(stream)).toEqual(await stage.eventsOf(one, quoteId));
    }
    const second = early.events[1]?.id ?? '';
    const rest = await listen(one, `/api/payments/${quoteId}/stream`, { 'last-event-id': second });
    await waitFor(() => rest.events.length >= 2);
    expect(rest.events).toEqual(early.events.slice(2));
  });
});

describe('streams of a process', () => {
  let lastEventId: string;
  let listener: Running;
  afterAll(endSnippets);

  /** The lines of the snippet, without the ids. */
  const printed = (): string[] =>
    listener.output.split('\n').flatMap((line) => /payment\..*/.exec(line)?.[0] ?? []);

  it('may be a thousand: each gets everything once, in order, and they are counted', async () => {
    const streams: EventStream[] = [];
    for (let index = 0; index < CLIENTS; index += 100)
      streams.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => listen(one, '/api/events/stream')))),
      );
    const scraped = new PrometheusText(await (await fetch(`${one.url}/metrics`)).text());
    expect(scraped.value('paybell_streams')).toBeGreaterThanOrEqual(CLIENTS);
    const quoteIds = await stage.quotes(other, 20);
    const arrived = (stream: EventStream): string[] =>
      toldBy(stream).flatMap(({ id, subject }) => (quoteIds.includes(subject) ? [id] : []));
    await waitFor(() => streams.every((stream) => arrived(stream).length >= 20), PATIENCE);
    const expected = arrived(streams[0] as EventStream);
    expect(new Set(expected).size).toBe(20);
    for (const stream of streams) expect(arrived(stream)).toEqual(expected);
    for (const stream of streams) stream.close();
    await waitFor(async () => {
      const text = await (await fetch(`${one.url}/metrics`)).text();
      return new PrometheusText(text).value('paybell_streams') === 0;
    });
  }, 60_000);

  it('do not wait for a client that never reads', async () => {
    const { nextCursor } = await readLog(one);
    const slow = await listen(one, '/api/events/stream');
    slow.pause();
    const fast = await listen(one, '/api/events/stream');
    await stage.database.query(MANY_EVENTS, ['x'.repeat(4_000)]);
    await waitFor(() => fast.events.length >= 5_000, PATIENCE);
    slow.resume();
    await waitFor(() => slow.events.length >= 5_000, PATIENCE);
    expect(slow.events).toEqual(fast.events);
    expect(new Set(slow.events.map(({ id }) => id)).size).toBe(5_000);
    const page = await jsonOf(await one.fetch(`/api/events?after=${nextCursor}&limit=1000`), 200);
    expect((page['data'] as PublishedEvent[]).length).toBe(1_000);
    await stage.database.query(`DELETE FROM event WHERE type = 'payment.updated'`);
  }, 60_000);

  it('are what the snippet of docs/using/events.md prints, from the event after the one that it names', async () => {
    const first = await stage.quote(one);
    const [event] = await stage.eventsOf(one, first);
    lastEventId = event?.id ?? '';
    // An event is in the log once no transaction is open that began before its own ended, in any database of the server.
    await waitFor(async () => (await readLog(one)).events.some(({ id }) => id === lastEventId));
    const code = await snippet('docs/using/events.md', 'stream in Node');
    const env = { PAYBELL_URL: one.url, PAYBELL_API_KEY: one.apiKey, LAST_EVENT_ID: lastEventId };
    listener = run(code, env);
    const quoteId = await stage.quote(one);
    stage.say([quoteId], 'COMPLETED');
    await waitFor(() => printed().length === 2, { what: 'two events', timeoutMs: 20_000 });
    expect(printed()).toEqual([`payment.created ${quoteId} 1`, `payment.completed ${quoteId} 2`]);
  }, 60_000);

  it('go on at another after theirs was killed, with nothing lost and nothing twice', async () => {
    const stream = await listen(one, '/api/events/stream');
    const before = await stage.quotes(other, 3);
    await waitFor(() => before.every((quoteId) => typesOf(stream, quoteId).length === 1));
    await one.kill9();
    await waitFor(() => stream.isEnded);
    const between = await stage.quotes(other, 3);
    const again = await listen(other, '/api/events/stream', { 'last-event-id': stream.lastEventId });
    const after = await stage.quotes(other, 3);
    const quoteIds = [...before, ...between, ...after];
    const published = (): PublishedEvent[] => [...toldBy(stream), ...toldBy(again)];
    await waitFor(() => quoteIds.every((quoteId) => published().some(({ subject }) => subject === quoteId)));
    const ours = published().filter(({ subject }) => quoteIds.includes(subject));
    expect(ours.map(({ subject }) => subject).toSorted()).toEqual(quoteIds.toSorted());
    const { events } = await readLog(other);
    expect(events.filter(({ subject }) => quoteIds.includes(subject))).toEqual(ours);
  }, 60_000);

  it('and the log go on when the database came from another server', async () => {
    const [row] = await stage.database.query<{ count: number }>('SELECT count(*)::int AS count FROM event');
    await stage.database.query('UPDATE event SET log_rank = log_rank + 5000000000');
    // Where the one that was killed has been: the snippet finds it.
    const app = await stage.startWarm({ PORT: String(one.port) });
    const stream = await listen(app, '/api/events/stream');
    const quoteId = await stage.quote(app);
    await waitFor(() => typesOf(stream, quoteId).length === 1);
    const { events } = await readLog(app);
    expect(events.length).toBeGreaterThan(row?.count ?? 0);
    expect(events.at(-1)?.subject).toBe(quoteId);
    expect(app.lines.join()).toContain('the log goes on after them');
  });

  it('go on in the snippet once Paybell is back: it has printed every event once', async () => {
    const { events } = await readLog(other);
    const from = events.findIndex(({ id }) => id === lastEventId);
    const missing = events
      .slice(from + 1)
      .map(({ type, subject, data }) => `${type} ${subject} ${data.sequence}`);
    expect(missing.length).toBeGreaterThan(2 + 9);
    await waitFor(() => printed().length >= missing.length, {
      timeoutMs: 20_000,
      what: 'what it has missed',
    });
    expect(printed()).toEqual(missing);
  });

  it('end at SIGTERM, and the process with status 0, even with a client that does not read', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen(other, '/api/events/stream')));
    streams[0]?.pause();
    const stoppedAt = Date.now();
    expect(await other.stop()).toBe(0);
    // Cut connections would take 8 s.
    expect(Date.now() - stoppedAt).toBeLessThan(7_000);
    await waitFor(() => streams.slice(1).every((stream) => stream.isEnded));
  });
});

/** All in one transaction, each with 4 kB of body. */
const MANY_EVENTS = `
  WITH chosen AS (SELECT max(id) AS id FROM payment)
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  SELECT gen_random_uuid(), chosen.id, 100 + i, 'payment.updated', now(),
    format('{"id":"x","subject":"bulk","type":"payment.updated","x":"%s"}', $1::text)
  FROM chosen, generate_series(1, 5000) i`;
