import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import type { PaymentEvent } from '../../../packages/client/src/index.ts';
import { signedHeaders } from '../../../src/destinations/webhook/webhook-sender.ts';
import { newSigningKey } from '../../../src/features/webhook-endpoints/new-signing-key.ts';
import { freePort } from '../../../tools/testkit/free-port.ts';
import type { ToolName } from '../../../tools/testkit/machine-tools.js';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { describeWith } from '../../support/describe-with.ts';
import { ExampleProcess } from '../../support/example-process.ts';
import { completionOf, eventOfPayment, updateOfCompleted } from '../../support/paybell-events.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { signatureCases } from '../../support/signature-cases.ts';
import { Stage } from '../../support/stage.ts';

interface Language {
  readonly tool: ToolName;
  readonly name: string;
  /** The command that starts the receiver, and the line that it prints once it listens. */
  readonly receiver: (port: number) => string[];
  readonly ready: string;
  /** The loop over the event log. */
  readonly loop: string;
}

const LANGUAGES: readonly Language[] = [
  {
    tool: 'python',
    name: 'Python',
    receiver: () => [resolve('examples/receiver.py')],
    ready: 'listens',
    loop: 'event_log.py',
  },
  {
    tool: 'php-sqlite',
    name: 'PHP',
    receiver: (port) => ['-S', `127.0.0.1:${port}`, resolve('examples/receiver.php')],
    ready: 'started',
    loop: 'event_log.php',
  },
];
const WAIT = { timeoutMs: 45_000 };
const arrived = (arrived: string | null): object => ({ receive: { promised: '25.40', arrived } });
/** Each event has one field because of which the completion does not fulfil. */
const NOT_WHOLE: readonly object[] = [
  ...['partly_refunded', 'short_output', 'contradictory_output', 'other_token_received'].map((anomaly) => ({
    payment: { anomalies: [anomaly] },
  })),
  { amounts: { match: 'underpaid' } },
  {
    amounts: { match: 'unknown', send: { came: null } },
    payment: { deposit: { amount: '25.42', token: 'X' } },
  },
  { amounts: { match: 'exact', ...arrived('25.1') } },
  { order: { completed: ['another'], open: [] } },
  { verification: { state: 'contradicted' } },
];
const WHOLE = {
  amounts: { match: 'overpaid', ...arrived('25.15') },
  payment: { deposit: null, anomalies: [] },
};

let stage: Stage;
let app: SharedService;
let folder: string;
let running: ExampleProcess | undefined;

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  await running?.kill9();
});

async function newFolder(): Promise<string> {
  return (folder = await mkdtemp(join(tmpdir(), 'paybell-shop-')));
}

/** The lines that the program has printed about an order, by their first words. */
function said(order: string): string[] {
  const lines = (running?.output ?? '').split('\n').filter((line) => line.endsWith(` ${order}`));
  return lines.map((line) => line.replace(/^\[[^\]]*\] /, '').replace(` ${order}`, ''));
}

for (const { tool, name, receiver, ready, loop } of LANGUAGES)
  describeWith(tool, `A shop in ${name}`, (program) => {
    const port = freePort();

    async function start(secret: string, orders: string[]): Promise<string> {
      const at = await port;
      const env = { DATABASE: join(folder, 'shop.db'), PORT: String(at), LANG: 'C.UTF-8' };
      running = await ExampleProcess.start(
        [program, ...receiver(at)],
        { ...env, WEBHOOK_SECRET: secret, ORDERS: orders.join(',') },
        ready,
      );
      return `http://127.0.0.1:${at}/webhooks/paybell`;
    }

    it('fulfils an order of its own once, also after a kill, and takes the test event', async () => {
      await newFolder();
      const order = `${name}-1`;
      const secret = await stage.addShop(app, `http://127.0.0.1:${await port}/webhooks/paybell`);
      const url = await start(secret, [order]);
      const quoteId = await stage.quote(app, { orderId: order });
      await waitFor(() => said(order).includes('stored: payment.created'), WAIT);
      await running?.kill9();
      stage.say([quoteId], 'COMPLETED');
      await waitFor(async () => (await stage.eventsOf(app, quoteId)).length === 2, WAIT);
      await start(secret, [order]);
      await waitFor(() => said(order).includes('fulfilled: payment.completed'), WAIT);

      const { data } = (await (await app.fetch('/api/webhook-endpoints')).json()) as {
        data: { id: string; url: string }[];
      };
      const { id } = data.find((endpoint) => endpoint.url === url) ?? { id: '' };
      const test = await app.fetch(`/api/webhook-endpoints/${id}/test`, { method: 'POST' });
      expect(await test.json()).toMatchObject({ delivered: true, httpStatus: 204 });
      await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
    });

    it('takes nothing twice, lets nothing old overwrite, makes no order of an event, and minds the sum', async () => {
      await newFolder();
      const { secret } = newSigningKey('v1');
      const url = await start(secret, ['A-1', 'A-2', 'A-3']);
      const [quoteId, late] = [randomUUID(), randomUUID()];
      const of = (orderId: string, event: PaymentEvent, more: object = {}): PaymentEvent =>
        ({ ...event, data: { ...event.data, orderId, ...more } }) as PaymentEvent;
      const completion = of('A-1', completionOf(quoteId, 3));
      const events = [
        of('A-1', eventOfPayment(quoteId, 2)),
        of('A-1', eventOfPayment(quoteId, 1)),
        completion,
        completion,
        of('A-1', updateOfCompleted(quoteId, 4)),
        of('A-1', completionOf(randomUUID(), 1)),
        of('EXAMPLE', completionOf(randomUUID(), 1)),
        ...NOT_WHOLE.map((more) => of('A-2', completionOf(randomUUID(), 1), more)),
        // A completion counts after a later event too.
        of('A-2', updateOfCompleted(late, 3)),
        of('A-2', completionOf(late, 2), WHOLE),
        of('A-3', updateOfCompleted(randomUUID(), 2), { named: true, ...WHOLE }),
      ];
      for (const event of events) expect([event.id, await post(url, event, secret)]).toEqual([event.id, 204]);
      await waitFor(() => said('A-3').length > 0, WAIT);
      expect(said('A-1')).toEqual([
        'stored: payment.updated',
        'outdated: payment.updated',
        'fulfilled: payment.completed',
        'duplicate: payment.completed',
        'stored: payment.updated',
        'not fulfilled: payment.completed',
      ]);
      expect(said('A-2')).toEqual([
        ...NOT_WHOLE.map(() => 'not fulfilled: payment.completed'),
        'stored: payment.updated',
        'fulfilled: payment.completed',
      ]);
      expect(said('A-3')).toEqual(['fulfilled: payment.updated']);
      expect(said('EXAMPLE')).toEqual(['not fulfilled: payment.completed']);
    });

    it('accepts what Paybell signed, and nothing else', async () => {
      await newFolder();
      const { secret } = newSigningKey('v1');
      const url = await start(secret, []);
      for (const { name: sent, headers, body, isGenuine } of signatureCases(secret))
        expect([sent, await statusOf(url, headers, body)]).toEqual([sent, isGenuine ? 204 : 401]);
      expect(await statusOf(url.replace('paybell', 'other'), {}, '{}')).toBe(404);
      expect(await statusOf(url, {}, 'x'.repeat(1_000_001))).toBe(413);
    });

    it('reads the event log on from its cursor', async () => {
      await newFolder();
      const read = (): Promise<ExampleProcess> => {
        const env = { PAYBELL_URL: app.url, PAYBELL_API_KEY: app.apiKey, DATABASE: join(folder, 'log.db') };
        return ExampleProcess.start([program, resolve('examples', loop)], env, 'payment.created');
      };
      const printed = (quoteId: string): string[] =>
        (running?.output ?? '').split('\n').filter((line) => line.endsWith(quoteId));
      const first = await stage.quote(app, {});
      running = await read();
      await waitFor(() => printed(first).length === 1, { ...WAIT, what: 'the first event' });
      // A second page shows that the cursor of the first one was stored.
      const second = await stage.quote(app, {});
      await waitFor(() => printed(second).length === 1, { ...WAIT, what: 'the event of the next page' });
      await running.kill9();
      const third = await stage.quote(app, {});
      running = await read();
      await waitFor(() => printed(third).length === 1, { ...WAIT, what: 'the event after the kill' });
      expect(printed(first)).toEqual([]);
    });
  });

async function post(url: string, event: PaymentEvent, secret: string): Promise<number> {
  const body = JSON.stringify(event);
  return statusOf(url, signedHeaders(event.id, body, [secret], new Date()), body);
}

async function statusOf(url: string, headers: Record<string, string>, body: string): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body })).status;
}
