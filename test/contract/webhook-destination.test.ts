import { setImmediate } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';

import { newSecret } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { VERSION } from '../../src/platform/version.ts';
import { HttpReceiver, type Script } from '../../tools/testkit/http-receiver.ts';
import { type BenchOptions, dueDelivery, WebhookBench } from '../support/webhook-bench.ts';
import type { EventType } from '../../src/domain/event/event.ts';
import type { TestAnswer } from '../../src/ports/webhook-tester.ts';

const BODY =
  '{"type":"payment.completed", "data":{"amount":"1.10","note":"Ä – 支払い 💶","big":12345678901234567890}}';
const cleanup: (() => Promise<void>)[] = [];
const { signal } = new AbortController();

let warnings: jest.SpiedFunction<(message: string) => void>;

beforeEach(() => {
  warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
});
afterEach(async () => {
  warnings.mockRestore();
  for (const step of cleanup.splice(0).reverse()) await step();
});

function bench(options?: BenchOptions): WebhookBench {
  const made = new WebhookBench(options);
  cleanup.push(() => made.close());
  return made;
}

async function receiver(...of: Parameters<typeof HttpReceiver.start>): Promise<HttpReceiver> {
  const started = await HttpReceiver.start(...of);
  cleanup.push(() => started.close());
  return started;
}

describe('WebhookDestination', () => {
  it('posts the very bytes of the event with the headers of Standard Webhooks, and signs with every secret that is valid now', async () => {
    const shop = await receiver();
    const paybell = bench();
    const secrets = [newSecret(), newSecret()];
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/hook/a?b=c#d`, BODY, secrets);
    const outcome = await paybell.destination.deliver(owed, signal);
    expect(outcome).toMatchObject({ kind: 'delivered', httpStatus: 204 });
    const [got] = shop.requests;
    expect(got).toMatchObject({ method: 'POST', path: '/hook/a?b=c' });
    expect(got?.body.equals(Buffer.from(BODY, 'utf8'))).toBe(true);
    expect(got?.headers).toMatchObject({
      host: `127.0.0.1:${shop.port}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(BODY)),
      'user-agent': `Paybell/${VERSION}`,
      'webhook-id': owed.eventId,
    });
    expect(Math.abs(Number(got?.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(5);
    for (const secret of secrets)
      expect(new Webhook(secret).verify(BODY, got?.headers as Record<string, string>)).toEqual(
        JSON.parse(BODY),
      );
  });

  it('keeps connections between attempts', async () => {
    const shop = await receiver(() => ({ body: '{"ok":true}' }));
    const paybell = bench();
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`);
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await paybell.destination.deliver(owed, signal);
      // A connection is free again only a turn of the event loop after its answer.
      await setImmediate();
    }
    expect(shop.requests).toHaveLength(9);
    expect(shop.connections).toBe(1);
  });

  it('disables an endpoint that answers 410, and says and counts it once, however many attempts it answers so', async () => {
    const shop = await receiver(() => ({ status: 410, delayMs: 50 }));
    const paybell = bench();
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`);
    const attempts = Array.from({ length: 5 }, () => paybell.destination.deliver(owed, signal));
    for (const outcome of await Promise.all(attempts))
      expect(outcome).toMatchObject({ kind: 'failed', failure: 'gone', httpStatus: 410 });
    expect(paybell.endpoints.reasons.get(owed.destinationId)).toBe('answered 410 Gone');
    expect(paybell.meter.disabledReasons).toEqual(['gone']);
    expect(warnings.mock.calls.flat()).toEqual([expect.stringContaining('410 Gone and is disabled')]);
    expect(await paybell.destination.targets()).toEqual([]);
    expect(await paybell.destination.deliver(owed, signal)).toEqual({ kind: 'held', retryInMs: 1_000 });
    expect(shop.requests).toHaveLength(5);
  });

  it('logs circuits, and counts an endpoint that is disabled for failing', () => {
    const paybell = bench();
    const changes = (['opened', 'recovered', 'disabled'] as const).map((change) => ({
      targetId: 'e-1',
      change,
    }));
    paybell.destination.applyChanges(changes);
    expect(warnings.mock.calls.flat()).toEqual([
      expect.stringMatching(/^Webhook endpoint e-1 failed ten times in a row/),
      expect.stringMatching(/^Webhook endpoint e-1 answers again/),
      expect.stringMatching(/^Webhook endpoint e-1 failed everything for 5 days and is disabled/),
    ]);
    expect(paybell.meter.disabledReasons).toEqual(['failing']);
  });

  it('holds what is owed to an endpoint that is not there, or that it could not read', async () => {
    const paybell = bench();
    const held = { kind: 'held', retryInMs: 1_000 };
    expect(await paybell.destination.deliver(dueDelivery('x'), signal)).toEqual(held);
    paybell.endpoints.targets = () => Promise.reject(new Error('The database does not answer.'));
    expect(await paybell.destination.deliver(dueDelivery('x'), signal)).toEqual(held);
  });

  it('lets go of an attempt when it is asked to stop, without using the attempt up', async () => {
    const stop = new AbortController();
    const shop = await receiver(() => {
      stop.abort();
      return 'hang';
    });
    const paybell = bench({ timeoutMs: 10_000 });
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`);
    expect(await paybell.destination.deliver(owed, stop.signal)).toEqual({ kind: 'held', retryInMs: 0 });
    expect(await paybell.destination.deliver(owed, stop.signal)).toEqual({ kind: 'held', retryInMs: 0 });
    expect(shop.requests).toHaveLength(1);
  });

  it('says once a minute why an address is refused and how to allow it', async () => {
    const paybell = bench({ cidrs: '' });
    const owed = await paybell.owe('https://127.0.0.1:9/');
    for (let attempt = 0; attempt < 3; attempt += 1) await paybell.destination.deliver(owed, signal);
    expect(warnings.mock.calls.flat()).toEqual([
      expect.stringMatching(/loopback address.*WEBHOOK_ALLOWED_CIDRS/),
    ]);
  });

  it('retries on the configured schedule until it is used up, and no sooner than it is asked to', () => {
    const { destination } = bench();
    const failed = { kind: 'failed', failure: 'reset', httpStatus: null, retryAfterMs: null } as const;
    for (let retries = 1; retries <= 15; retries += 1)
      expect(destination.retryInMs(retries, failed)).toBeGreaterThan(0);
    expect(destination.retryInMs(16, failed)).toBeNull();
    expect(destination.retryInMs(1, { ...failed, retryAfterMs: 120_000 })).toBe(120_000);
    expect(destination.limits).toEqual({ total: 600, perTarget: 10, timeoutMs: 500 });
    expect(destination.lanePatienceMs).toBe(900_000);
  });
});

describe('the test of an endpoint', () => {
  const ID = '3b241101-e2bb-4255-8caf-4136c566a962';

  function send(
    paybell: WebhookBench,
    url: string,
    secrets = [paybell.secret],
    type: EventType | null = null,
  ): Promise<TestAnswer> {
    return paybell.tester.test({ id: ID, url, description: null, secrets }, type);
  }

  describe('WebhookTestSender', () => {
    it('sends an event without subject and sequence that the published library verifies', async () => {
      const shop = await receiver(() => ({ body: 'thanks' }));
      const paybell = bench();
      const secrets = [newSecret(), newSecret()];
      expect(await send(paybell, `http://127.0.0.1:${shop.port}/hook`, secrets)).toEqual({
        delivered: true,
        httpStatus: 200,
        durationMs: expect.any(Number),
        failure: null,
        code: null,
        body: 'thanks',
      });
      const [got] = shop.requests;
      const headers = got?.headers as Record<string, string>;
      for (const secret of secrets) {
        expect(new Webhook(secret).verify(got?.text ?? '', headers)).toEqual({
          specversion: '1.0',
          id: headers['webhook-id'],
          source: 'paybell',
          type: 'webhook.test',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          datacontenttype: 'application/json',
          data: { endpointId: ID },
        });
      }
    });

    it('sends an example of the type that it is given', async () => {
      const shop = await receiver();
      const paybell = bench();
      await send(paybell, `http://127.0.0.1:${shop.port}/hook`, [paybell.secret], 'payment.completed');
      const [got] = shop.requests;
      const headers = got?.headers as Record<string, string>;
      const subject = `example-${headers['webhook-id']}`;
      expect(new Webhook(paybell.secret).verify(got?.text ?? '', headers)).toMatchObject({
        id: headers['webhook-id'],
        type: 'payment.completed',
        subject,
        data: { quoteId: subject, status: 'COMPLETED', payment: { quoteId: subject, status: 'COMPLETED' } },
      });
    });

    it('lets what waits out when the endpoint takes it, and changes nothing when it does not; each has its own id', async () => {
      let status = 500;
      const shop = await receiver(() => ({ status }));
      const paybell = bench();
      await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(paybell.endpoints.tested).toEqual([]);
      status = 204;
      await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(paybell.endpoints.tested).toEqual([ID]);
      expect(new Set(shop.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    });

    it('says that the endpoint takes what waits', async () => {
      const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
      const shop = await receiver();
      const paybell = bench();
      paybell.endpoints.recordTestDelivered = () => Promise.resolve(true);
      await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(warnings.mock.calls).toEqual([
        [`Webhook endpoint ${ID} took a test event: its pending deliveries are sent at a growing rate`],
      ]);
      warnings.mockRestore();
    });

    it('answers although what it means for the circuit could not be written', async () => {
      const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
      const shop = await receiver();
      const paybell = bench();
      paybell.endpoints.recordTestDelivered = () =>
        Promise.reject(new Error('The database does not answer.'));
      expect(await send(paybell, `http://127.0.0.1:${shop.port}/`)).toMatchObject({ delivered: true });
      expect(String(warnings.mock.calls[0])).toContain(
        'its circuit stays open: The database does not answer.',
      );
      warnings.mockRestore();
    });

    it.each<[string, BenchOptions, ReturnType<Script>, object]>([
      [
        'refuses: the first KiB of its answer',
        {},
        { status: 500, body: 'ü'.repeat(5_000) },
        { httpStatus: 500, failure: 'status', body: 'ü'.repeat(512) },
      ],
      [
        'redirects: followed nowhere',
        {},
        { status: 302, headers: { location: '/elsewhere' } },
        { httpStatus: 302, failure: 'redirect', body: '' },
      ],
      ['is gone: not disabled', {}, { status: 410 }, { httpStatus: 410, failure: 'gone', body: '' }],
      [
        'is where nothing may be sent',
        { cidrs: '10.0.0.0/8' },
        {},
        { httpStatus: null, failure: 'blocked_address', body: null },
      ],
      [
        'does not answer: no longer than a delivery waits',
        { timeoutMs: 200 },
        'hang',
        { httpStatus: null, failure: 'timeout', body: null },
      ],
    ])('says how an endpoint fails that %s', async (_, options, reply, expected) => {
      const shop = await receiver(() => reply);
      const paybell = bench(options);
      const answer = await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(answer).toEqual({ delivered: false, durationMs: expect.any(Number), code: null, ...expected });
      expect(shop.connections).toBe(options.cidrs === undefined ? 1 : 0);
      expect(shop.requests.length).toBeLessThanOrEqual(1);
      expect(paybell.endpoints.reasons.size).toBe(0);
    });

    it('ends at a stop of the service', async () => {
      const shop = await receiver(() => 'hang');
      const paybell = bench({ timeoutMs: 60_000 });
      const answer = send(paybell, `http://127.0.0.1:${shop.port}/`);
      paybell.tester.onModuleDestroy();
      expect(await answer).toMatchObject({ delivered: false, failure: null });
    });
  });
});
