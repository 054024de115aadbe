import { randomBytes, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import type { SharedService } from '../support/shared-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const CALLER = `00-${TRACE}-${SPAN}-01`;
const QUOTES = 20;
/** Spans are sent at once. */
const SOON = { OTEL_BSP_SCHEDULE_DELAY: '50' };

async function quoteFrom(app: SharedService, headers: Record<string, string>): Promise<string> {
  const answer = await app.fetch('/api/quote', { method: 'POST', body: quoteRequest(), headers });
  return String((await jsonOf(answer, 200))['quoteId']);
}

type Line = Record<string, unknown>;

function linesOf(app: SharedService): Line[] {
  return app.lines.map((line) => JSON.parse(line) as Line);
}

/** Finds the adoption of a payment that was already tracked. */
function isKnown(wanted: string): (span: ReceivedSpan) => boolean {
  return ({ name, attributes }) => name === wanted && attributes['paybell.outcome'] === 'known';
}

function contextIn(event: object): string | undefined {
  return (event as { traceparent?: string }).traceparent;
}

function contextOf({ traceId, spanId }: ReceivedSpan): string {
  return `00-${traceId}-${spanId}-01`;
}

describeWithBroker('traces', () => {
  let stage: Stage;
  let collector: OtlpReceiver;
  let app: SharedService;
  let subscriber: Subscriber;
  let queues: BrokerQueues;
  let track: string;

  beforeAll(async () => {
    stage = await Stage.open();
    collector = await OtlpReceiver.start();
    subscriber = await Subscriber.open(brokerUrl(), stage.exchange);
    queues = await BrokerQueues.open(brokerUrl());
    track = queues.name('track');
    app = await stage.startWarm({
      ...withBroker(),
      ...SOON,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      LOG_LEVEL: 'debug',
    });
    await stage.addShop(app);
  });

  afterAll(async () => {
    await app.stop();
    await collector.close();
  });

  const withBroker = () => ({ RABBITMQ_URL: brokerUrl(), RABBITMQ_TRACK_QUEUE: track });
  const webhooksOf = (quoteId: string) =>
    stage.shop.requests.filter(({ json }) => (json as { subject: string }).subject === quoteId);
  const messagesOf = (quoteId: string) =>
    subscriber.messages.filter(({ properties }) => properties.headers?.['quote_id'] === quoteId);
  const keptWith = async (quoteId: string): Promise<string | null | undefined> => {
    const rows = await stage.database.query<{ traceparent: string | null }>(
      'SELECT traceparent FROM payment WHERE quote_id = $1',
      [quoteId],
    );
    return rows[0]?.traceparent;
  };

  const rowOf = async (quoteId: string): Promise<unknown> =>
    (await stage.database.query('SELECT p::text FROM payment p WHERE quote_id = $1', [quoteId]))[0];

  function adopt(quoteId: string, headers: Record<string, string>): Promise<unknown> {
    return app.fetch('/api/payments', { method: 'POST', body: { quoteId }, headers });
  }

  it('lead from the quote of the caller to the poll that saw the change, the event and each attempt', async () => {
    const headers = { traceparent: CALLER, tracestate: 'vendor=secret', baggage: 'user=secret' };
    const quoteId = await quoteFrom(app, headers);
    await waitFor(() => webhooksOf(quoteId).length === 1 && messagesOf(quoteId).length === 1);
    stage.say([quoteId], 'COMPLETED');
    await waitFor(() => webhooksOf(quoteId).length === 2 && messagesOf(quoteId).length === 2);

    const [quote] = await collector.about(quoteId, 'POST /api/quote', 1);
    expect(quote).toMatchObject({
      service: 'paybell',
      traceId: TRACE,
      parentId: SPAN,
      attributes: { 'http.response.status_code': 200, 'paybell.outcome': 'made', 'paybell.provider': 'http' },
    });
    const [created] = await collector.about(quoteId, 'record payment.created', 1);
    expect(created).toMatchObject({ traceId: TRACE, parentId: quote?.spanId });

    const polls = await collector.about(quoteId, 'poll', 1);
    expect(polls).toHaveLength(1);
    expect(polls[0]).toMatchObject({
      parentId: '',
      links: [`${TRACE}-${SPAN}`],
      attributes: { 'paybell.provider': 'http' },
    });
    expect(polls[0]?.traceId).not.toBe(TRACE);
    const [completed] = await collector.about(quoteId, 'record payment.completed', 1);
    expect(completed).toMatchObject({ traceId: polls[0]?.traceId, parentId: polls[0]?.spanId });

    for (const [kind, sent] of [
      ['webhook', webhooksOf(quoteId).map(({ headers }) => headers['traceparent'])],
      ['rabbitmq', messagesOf(quoteId).map(({ properties }) => String(properties.headers?.['traceparent']))],
    ] as const) {
      const attempts = await collector.about(quoteId, `deliver ${kind}`, 2);
      expect(attempts.map(contextOf)).toEqual(sent);
      for (const attempt of attempts)
        expect(attempt).toMatchObject({
          parentId: '',
          links: [`${TRACE}-${SPAN}`],
          attributes: { 'paybell.outcome': 'delivered', 'paybell.attempt': 1, 'paybell.provider': 'http' },
        });
    }

    const events = await stage.eventsOf(app, quoteId);
    expect(events.map(contextIn)).toEqual([CALLER, CALLER]);
    expect(webhooksOf(quoteId).map(({ json }) => json)).toEqual(events);
    expect(JSON.stringify([await rowOf(quoteId), events])).not.toContain('secret');
  });

  describe.each([
    { name: 'POST /api/payments', send: adopt, httpStatus: 201 },
    {
      name: 'track message',
      send: (quoteId: string, headers: Record<string, string>) =>
        queues.send(track, { quoteId }, { headers }),
      httpStatus: undefined,
    },
  ])('$name', ({ name, send, httpStatus }) => {
    it('leads from the caller to what is adopted, as a quote does', async () => {
      const quoteId = stage.provider.addQuote();
      stage.say([quoteId], 'EXECUTING');
      await send(quoteId, { traceparent: CALLER, tracestate: 'vendor=secret', baggage: 'user=secret' });
      await waitFor(() => webhooksOf(quoteId).length === 2 && messagesOf(quoteId).length === 2);

      const [adoption] = await collector.about(quoteId, name, 1);
      expect(adoption).toMatchObject({
        traceId: TRACE,
        parentId: SPAN,
        attributes: { 'paybell.outcome': 'adopted' },
      });
      expect(adoption?.attributes['http.response.status_code']).toBe(httpStatus);
      for (const type of ['created', 'executing']) {
        const recorded = await collector.about(quoteId, `record payment.${type}`, 1);
        expect(recorded).toMatchObject([{ traceId: TRACE, parentId: adoption?.spanId }]);
      }
      for (const kind of ['webhook', 'rabbitmq'])
        for (const attempt of await collector.about(quoteId, `deliver ${kind}`, 2))
          expect(attempt).toMatchObject({ parentId: '', links: [`${TRACE}-${SPAN}`] });

      expect(await keptWith(quoteId)).toBe(CALLER);
      const events = await stage.eventsOf(app, quoteId);
      expect(events.map(contextIn)).toEqual([CALLER, CALLER]);
      expect(JSON.stringify([await rowOf(quoteId), events])).not.toContain('secret');
    });

    it('keeps the first context of a payment, and begins with itself where the caller has no valid one', async () => {
      const quoteId = stage.provider.addQuote();
      await send(quoteId, { traceparent: `00-${TRACE}-${SPAN}` });
      const [adoption] = await collector.about(quoteId, name, 1);
      expect(adoption?.parentId).toBe('');
      await send(quoteId, { traceparent: CALLER });
      await waitFor(() => collector.spans.some(isKnown(name)));
      expect(await keptWith(quoteId)).toBe(contextOf(adoption as ReceivedSpan));
    });

    it('tells that nobody knows a quote', async () => {
      const traceparent = `00-${randomBytes(16).toString('hex')}-${SPAN}-01`;
      await send(randomUUID(), { traceparent });
      const isOurs = ({ traceId }: ReceivedSpan): boolean => traceparent.includes(traceId);
      const refused = await waitFor(() => collector.spans.find(isOurs));
      expect(refused).toMatchObject({ name, attributes: { 'paybell.outcome': 'unknown_payment' } });
    });
  });

  it('have their id in the lines of the log about them', async () => {
    const quoteId = await quoteFrom(app, { traceparent: CALLER });
    const adopted = stage.provider.addQuote();
    await adopt(adopted, { traceparent: CALLER });
    stage.say([quoteId], 'COMPLETED');
    const [poll] = await collector.about(quoteId, 'poll', 1);
    stage.shop.answer(() => ({ status: 500 }));
    stage.say([adopted], 'COMPLETED');
    const isFailed = (line: Line): boolean => line['deliveryId'] !== undefined && line['quoteId'] === adopted;
    await waitFor(() => linesOf(app).some(isFailed));
    stage.shop.answer(() => ({ status: 204 }));
    await waitFor(() => webhooksOf(adopted).length >= 3);
    const attempts = await collector.about(adopted, 'deliver webhook', 3);

    const lines = linesOf(app);
    for (const path of ['/api/quote', '/api/payments'])
      expect(lines.findLast((line) => line['path'] === path)?.['trace_id']).toBe(TRACE);
    const change = lines.find((line) => line['quoteId'] === quoteId && line['type'] === 'payment.completed');
    expect(change?.['trace_id']).toBe(poll?.traceId);
    const failed = attempts.find(({ attributes }) => attributes['paybell.outcome'] === 'status');
    expect(lines.find(isFailed)?.['trace_id']).toBe(failed?.traceId);
    expect(lines.find(({ msg }) => String(msg).includes('listening'))).not.toHaveProperty('trace_id');
  });

  it('tell each attempt with its outcome, and the same event goes out again', async () => {
    stage.shop.answer(() => ({ status: 500 }));
    const quoteId = await quoteFrom(app, { traceparent: CALLER });
    await waitFor(() => webhooksOf(quoteId).length >= 2);
    stage.shop.answer(() => ({ status: 204 }));
    const [first, second] = await collector.about(quoteId, 'deliver webhook', 2);
    expect(first?.attributes).toMatchObject({
      'paybell.outcome': 'status',
      'http.response.status_code': 500,
    });
    expect([first?.attributes['paybell.attempt'], second?.attributes['paybell.attempt']]).toEqual([1, 2]);
    const [one, two] = webhooksOf(quoteId);
    expect(two?.headers['traceparent']).not.toBe(one?.headers['traceparent']);
    expect(two?.text).toBe(one?.text);
  });

  it('are left out where the caller samples none, and his context is kept', async () => {
    const unsampled = `00-${'a'.repeat(32)}-${SPAN}-00`;
    const quoteId = await quoteFrom(app, { traceparent: unsampled });
    await waitFor(() => webhooksOf(quoteId).length === 1);
    expect(webhooksOf(quoteId)[0]?.headers['traceparent']).toBe(unsampled);
    const later = await quoteFrom(app, { traceparent: CALLER });
    await collector.about(later, 'deliver webhook', 1);
    expect(collector.spans.filter(({ attributes }) => attributes['paybell.quote_id'] === quoteId)).toEqual(
      [],
    );
  });

  describe('of another replica', () => {
    beforeAll(async () => {
      await app.stop();
    });

    /** Payments from quote to COMPLETED, with each event at the shop. */
    async function payThrough(replica: SharedService, count: number): Promise<void> {
      const quoteIds = await stage.quotes(replica, count);
      stage.say(quoteIds, 'COMPLETED');
      for (const quoteId of quoteIds) await stage.published(replica, quoteId, ['created', 'completed']);
    }

    it('that stops at once are sent before it ends', async () => {
      const stopping = await stage.startWarm({
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/whole`,
      });
      const quoteId = await quoteFrom(stopping, { traceparent: CALLER });
      const before = collector.requests.length;
      expect(await stopping.stop()).toBe(0);
      expect(collector.requests.slice(before).map(({ path }) => path)).toContain('/whole');
      expect(await collector.about(quoteId, 'POST /api/quote', 1)).toHaveLength(1);
    });

    it('whose collector never answers are dropped with few words, and nothing else; no line has the credentials', async () => {
      const silent = await HttpReceiver.start(() => 'hang');
      const startedAt = Date.now();
      const alone = await stage.startWarm({
        ...SOON,
        OTEL_EXPORTER_OTLP_ENDPOINT: silent.url.replace('//', '//user:password-of-traces@'),
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=token-of-traces',
        OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      });
      const warnings = () => alone.lines.filter((line) => line.includes('does not take spans'));
      await payThrough(alone, QUOTES);
      await waitFor(() => warnings().length > 0);
      await payThrough(alone, QUOTES);
      await silent.waitForCount(2, 20_000);
      expect(await alone.stop()).toBe(0);
      expect(warnings().length).toBeLessThanOrEqual(1 + Math.floor((Date.now() - startedAt) / 60_000));
      expect(alone.lines.join('\n')).not.toMatch(/(password|token)-of-traces/);
      await silent.close();
    });

    it('that has none keeps nothing and sends nothing, but what an event has already', async () => {
      const off = await stage.startWarm(withBroker());
      const headers = { traceparent: CALLER };
      const [adopted, tracked] = [stage.provider.addQuote(), stage.provider.addQuote()];
      await off.fetch('/api/payments', { method: 'POST', body: { quoteId: adopted }, headers });
      await queues.send(track, { quoteId: tracked }, { headers });
      for (const quoteId of [await quoteFrom(off, headers), adopted, tracked]) {
        await waitFor(() => webhooksOf(quoteId).length === 1 && messagesOf(quoteId).length === 1);
        expect(await keptWith(quoteId)).toBeNull();
        expect(webhooksOf(quoteId)[0]?.headers).not.toHaveProperty('traceparent');
        expect(webhooksOf(quoteId)[0]?.text).not.toContain('traceparent');
        expect(messagesOf(quoteId)[0]?.properties.headers).not.toHaveProperty('traceparent');
      }
      expect(off.lines.join('\n')).not.toContain('trace_id');

      const [traced] = await stage.database.query<{ quote_id: string }>(
        `SELECT quote_id FROM payment WHERE traceparent = $1 AND status <> 'COMPLETED' LIMIT 1`,
        [CALLER],
      );
      const tracedId = traced?.quote_id ?? '';
      const before = webhooksOf(tracedId).length;
      stage.say([tracedId], 'COMPLETED');
      await waitFor(() => webhooksOf(tracedId).length > before);
      expect(webhooksOf(tracedId).at(-1)?.headers['traceparent']).toBe(CALLER);
      await off.stop();
    });
  });
});
