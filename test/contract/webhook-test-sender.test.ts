import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';

import type { EventType } from '../../src/domain/event/event.ts';
import type { TestAnswer } from '../../src/ports/webhook-tester.ts';
import { newSecret } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { isSignedWith } from '../support/public-key.ts';
import { WebhookBench, type BenchOptions } from '../support/webhook-bench.ts';

const ID = '3b241101-e2bb-4255-8caf-4136c566a962';
const cleanup: (() => Promise<void>)[] = [];
afterEach(async () => {
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
    paybell.endpoints.recordTestDelivered = () => Promise.reject(new Error('The database does not answer.'));
    expect(await send(paybell, `http://127.0.0.1:${shop.port}/`)).toMatchObject({ delivered: true });
    expect(String(warnings.mock.calls[0])).toContain('its circuit stays open: The database does not answer.');
    warnings.mockRestore();
  });

  it('signs with the private key of v1a', async () => {
    const shop = await receiver();
    const { secret, publicKey } = newSigningKey('v1a');
    const answer = await send(bench(), `http://127.0.0.1:${shop.port}/`, [secret]);
    expect(answer).toMatchObject({ delivered: true, httpStatus: 204, body: '' });
    const [got] = shop.requests;
    expect(isSignedWith(publicKey, got?.headers ?? {}, got?.body ?? '')).toBe(true);
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
