import { setImmediate } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { newSecret } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { VERSION } from '../../src/platform/version.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { SHOP_CERTIFICATE, SHOP_KEY, TEST_CA } from '../support/tls-certificates.ts';
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
  it('posts the very bytes of the event with the headers of Standard Webhooks', async () => {
    const shop = await receiver();
    const paybell = bench();
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/hook/a?b=c#d`, BODY);
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
    const verified = new Webhook(paybell.secret).verify(BODY, got?.headers as Record<string, string>);
    expect(verified).toEqual(JSON.parse(BODY));
  });

  it('signs with every secret that is valid now, so that the published libraries verify the bytes that came', async () => {
    const shop = await receiver(() => ({ status: 200 }));
    const paybell = bench();
    const secrets = [newSecret(), newSecret()];
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`, BODY, secrets);
    await paybell.destination.deliver(owed, signal);
    const { body = Buffer.of(), headers } = shop.requests[0] ?? {};
    for (const secret of secrets)
      for (const verifier of [new Webhook(secret), new SvixWebhook(secret)])
        expect(verifier.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(BODY));
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

  it('passes on Retry-After', async () => {
    const shop = await receiver(() => ({ status: 503, headers: { 'retry-after': '120' } }));
    const paybell = bench();
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`);
    const failed = { kind: 'failed', failure: 'status', httpStatus: 503, retryAfterMs: 120_000 } as const;
    expect(await paybell.destination.deliver(owed, signal)).toMatchObject(failed);
    expect(paybell.destination.retryInMs(1, failed)).toBe(120_000);
  });

  it('disables an endpoint that answers 410', async () => {
    const shop = await receiver(() => ({ status: 410 }));
    const paybell = bench();
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`);
    const outcome = await paybell.destination.deliver(owed, signal);
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'gone', httpStatus: 410 });
    expect(paybell.endpoints.reasons.get(owed.destinationId)).toBe('answered 410 Gone');
    expect(paybell.meter.disabledReasons).toEqual(['gone']);
    expect(warnings.mock.calls.flat()).toEqual([expect.stringContaining('410 Gone and is disabled')]);
    expect(await paybell.destination.targets()).toEqual([]);
    expect(await paybell.destination.deliver(owed, signal)).toEqual({ kind: 'held', retryInMs: 1_000 });
    expect(shop.requests).toHaveLength(1);
  });

  it('logs once, and counts once, that an endpoint is disabled, however many attempts it answers so', async () => {
    const shop = await receiver(() => ({ status: 410, delayMs: 50 }));
    const paybell = bench();
    const owed = await paybell.owe(`http://127.0.0.1:${shop.port}/`);
    const attempts = Array.from({ length: 5 }, () => paybell.destination.deliver(owed, signal));
    const classes = (await Promise.all(attempts)).map(
      (outcome) => outcome.kind === 'failed' && outcome.failure,
    );
    expect(classes).toEqual(Array(5).fill('gone'));
    expect(paybell.meter.disabledReasons).toEqual(['gone']);
    expect(warnings.mock.calls).toHaveLength(1);
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

  it('holds what is owed to an endpoint that is not there', async () => {
    const held = await bench().destination.deliver(
      dueDelivery('3b241101-e2bb-4255-8caf-4136c566a962'),
      signal,
    );
    expect(held).toEqual({ kind: 'held', retryInMs: 1_000 });
  });

  it('holds what it could not even try, and does not throw', async () => {
    const paybell = bench();
    paybell.endpoints.targets = () => Promise.reject(new Error('The database does not answer.'));
    const held = await paybell.destination.deliver(dueDelivery('x'), signal);
    expect(held).toEqual({ kind: 'held', retryInMs: 1_000 });
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

  it('verifies TLS for the name in the URL while it connects to the judged address', async () => {
    const certificate = { cert: SHOP_CERTIFICATE, key: SHOP_KEY };
    const shop = await receiver(() => ({ status: 200 }), { tls: certificate });
    const asked: string[] = [];
    const resolve = async (hostname: string): Promise<{ address: string; family: number }[]> => {
      asked.push(hostname);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const paybell = bench({ ca: TEST_CA, resolve, timeoutMs: 5_000 });
    const owed = await paybell.owe(`https://shop.test:${shop.port}/`, BODY);
    expect(await paybell.destination.deliver(owed, signal)).toMatchObject({
      kind: 'delivered',
      httpStatus: 200,
    });
    expect(asked).toEqual(['shop.test']);
    const wrong = await paybell.owe(`https://other.test:${shop.port}/`, BODY);
    expect(await paybell.destination.deliver(wrong, signal)).toMatchObject({ failure: 'tls' });
  });

  it('retries on the configured schedule until it is used up', () => {
    const { destination } = bench();
    const failed = { kind: 'failed', failure: 'reset', httpStatus: null, retryAfterMs: null } as const;
    for (let retries = 1; retries <= 15; retries += 1)
      expect(destination.retryInMs(retries, failed)).toBeGreaterThan(0);
    expect(destination.retryInMs(16, failed)).toBeNull();
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

    it('lets what waits out when the endpoint takes it, and changes nothing when it does not', async () => {
      let status = 500;
      const shop = await receiver(() => ({ status }));
      const paybell = bench();
      await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(paybell.endpoints.tested).toEqual([]);
      status = 204;
      await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(paybell.endpoints.tested).toEqual([ID]);
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

    it('gives every test an id of its own', async () => {
      const shop = await receiver();
      const paybell = bench();
      for (let count = 0; count < 2; count += 1) await send(paybell, `http://127.0.0.1:${shop.port}/`);
      expect(new Set(shop.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    });

    it('returns the first KiB of a refusal', async () => {
      const shop = await receiver(() => ({ status: 500, body: 'ü'.repeat(5_000) }));
      const answer = await send(bench(), `http://127.0.0.1:${shop.port}/`);
      expect(answer).toMatchObject({ delivered: false, httpStatus: 500, failure: 'status' });
      expect(answer.body).toBe('ü'.repeat(512));
    });

    it.each([
      [302, 'redirect'],
      [410, 'gone'],
      [404, 'status'],
    ])('follows nothing and stores nothing: %i is %s', async (status, failure) => {
      const shop = await receiver(() => ({ status, headers: { location: '/elsewhere' } }));
      const answer = await send(bench(), `http://127.0.0.1:${shop.port}/`);
      expect(answer).toMatchObject({ delivered: false, httpStatus: status, failure, body: '' });
      expect(shop.requests).toHaveLength(1);
    });

    it('does not reach an address that is refused', async () => {
      const shop = await receiver();
      const answer = await send(bench({ cidrs: '10.0.0.0/8' }), `http://127.0.0.1:${shop.port}/`);
      expect(answer).toMatchObject({
        delivered: false,
        httpStatus: null,
        failure: 'blocked_address',
        body: null,
      });
      expect(shop.connections).toBe(0);
    });

    it('waits for an answer no longer than a delivery does', async () => {
      const shop = await receiver(() => 'hang');
      const answer = await send(bench({ timeoutMs: 200 }), `http://127.0.0.1:${shop.port}/`);
      expect(answer).toMatchObject({ delivered: false, httpStatus: null, failure: 'timeout', body: null });
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
