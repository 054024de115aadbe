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

/** Moves the payment from its quote to its end; each status is published before the provider reports the next one. */
async function complete(app: SharedService, quoteId: string): Promise<void> {
  for (const [index, status] of STATUSES.entries()) {
    stage.say([quoteId], status);
    await waitFor(async () => (await stage.eventsOf(app, quoteId)).length === index + 2);
  }
}

/** Reads the whole log like a client, page by page. */
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

  it('sends all there is to a client whose last event is gone, and says so', async () => {
    const { events } = await readLog(one);
    const gone = { 'last-event-id': '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d' };
    const stream = await listen(one, '/api/events/stream?after=nonsense-that-is-over').catch(() => null);
    expect(stream?.status).toBe(400);
    const again = await listen(one, `/api/events/stream?after=${events[0]?.id}`, gone);
    await waitFor(() => again.events.length >= events.length);
    expect(toldBy(again).slice(0, events.length)).toEqual(events);
    expect(again.comments.join()).toContain('not in the log any more');
  });
});

describe('streams of a process', () => {
  let lastEventId: string;
  let listener: Running;
  afterAll(endSnippets);

  /** The lines that the snippet printed, without the ids. */
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
    await waitFor(() => streams.every((stream) => arrived(stream).length >= 20));
    const expected = arrived(streams[0] as EventStream);
    expect(new Set(expected).size).toBe(20);
    for (const stream of streams) expect(arrived(stream)).toEqual(expected);
    for (const stream of streams) stream.close();
    await waitFor(async () => {
      const text = await (await fetch(`${one.url}/metrics`)).text();
      return new PrometheusText(text).value('paybell_streams') === 0;
    });
  });

  it('are what the snippet of docs/using/events.md prints, from the event after the one that it names', async () => {
    const first = await stage.quote(one);
    const [event] = await stage.eventsOf(one, first);
    lastEventId = event?.id ?? '';
    // An event is in the log once all transactions that began before its own have ended, in any database of the server.
    await waitFor(async () => (await readLog(one)).events.some(({ id }) => id === lastEventId));
    const code = await snippet('docs/using/events.md', 'stream in Node');
    const env = { PAYBELL_URL: one.url, PAYBELL_API_KEY: one.apiKey, LAST_EVENT_ID: lastEventId };
    listener = run(code, env);
    const quoteId = await stage.quote(one);
    stage.say([quoteId], 'COMPLETED');
    await waitFor(() => printed().length === 2, { what: 'two events' });
    expect(printed()).toEqual([`payment.created ${quoteId} 1`, `payment.completed ${quoteId} 2`]);
  });

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
  });

  it('go on in the snippet once Paybell is back: it has printed every event once', async () => {
    // Uses the port of the killed service, so that the snippet finds it.
    await stage.startWarm({ PORT: String(one.port) });
    const { events } = await readLog(other);
    const from = events.findIndex(({ id }) => id === lastEventId);
    const missing = events
      .slice(from + 1)
      .map(({ type, subject, data }) => `${type} ${subject} ${data.sequence}`);
    expect(missing.length).toBeGreaterThanOrEqual(2 + 9);
    await waitFor(() => printed().length >= missing.length, {
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
