import { afterAll, expect, it } from '@jest/globals';
import { connect, type ChannelModel } from 'amqplib';

import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { asking, runCli } from '../support/cli.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

/** How many payments each surface says are untold; it says them of itself, none reads another. */
interface Surfaces {
  readonly attention: number;
  readonly filter: number;
  readonly column: number;
  readonly ready: number;
  readonly metrics: number;
  readonly doctor: number;
  readonly list: number;
  readonly reconcile: number;
}

type Json = Record<string, unknown>;

const PAYMENTS = 4;
const PATIENCE = { timeoutMs: 40_000, everyMs: 500 };
/** As the sentence that health, attention and doctor share. */
const SENTENCE = /(\d+) payments? ha(?:s|ve) news that a destination was not told/;

const countIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);

type Said = Omit<Surfaces, 'doctor' | 'list' | 'reconcile'>;

async function saidByService(app: SharedService): Promise<Said> {
  const [attention, filter, ready, metrics, all] = await Promise.all([
    app.fetch('/api/attention').then((answer) => jsonOf(answer, 200)),
    app.fetch('/api/payments?undelivered=true&limit=100').then((answer) => jsonOf(answer, 200)),
    fetch(`${app.url}/health/ready`).then((answer) => answer.text()),
    app.fetch('/metrics').then((answer) => answer.text()),
    app.fetch('/api/payments?limit=100').then((answer) => jsonOf(answer, 200)),
  ]);
  const item = (attention['items'] as Json[]).find(({ code }) => code === 'undelivered');
  const query = (all['data'] as Json[]).map(({ quoteId }) => `quoteId=${String(quoteId)}`).join('&');
  const progress = await jsonOf(await app.fetch(`/api/payment-progress?${query}`), 200);
  return {
    attention: Number(item?.['count'] ?? 0),
    filter: (filter['data'] as Json[]).length,
    column: (progress['data'] as Json[]).filter(({ untold }) => (untold as Json[]).length > 0).length,
    ready: countIn(ready, SENTENCE),
    metrics: countIn(metrics, /^paybell_untold_payments\{destination="any"\} (\d+)$/m),
  };
}

async function surfaces(app: SharedService): Promise<Surfaces> {
  const env = asking(app);
  const [said, doctor, list, reconcile] = await Promise.all([
    saidByService(app),
    runCli(['doctor'], env),
    runCli(['payments', 'list', '--undelivered', '--json'], env),
    runCli(['reconcile', '--since', '1h', '--json', '--all'], env),
  ]);
  expect(doctor.code === 0 || said.attention > 0 || SENTENCE.test(doctor.stdout)).toBe(true);
  const compared = (JSON.parse(reconcile.stdout) as { data: { disagreements: string[] }[] }).data;
  return {
    ...said,
    doctor: countIn(doctor.stdout, SENTENCE),
    list: (JSON.parse(list.stdout) as { data: Json[] }).data.length,
    reconcile: compared.filter(({ disagreements }) => disagreements.length > 0).length,
  };
}

function same(count: number): Surfaces {
  return {
    attention: count,
    filter: count,
    column: count,
    ready: count,
    metrics: count,
    doctor: count,
    list: count,
    reconcile: count,
  };
}

/** Waits until all say the same: each reading may be some seconds old. */
async function expectEverywhere(stage: Stage, app: SharedService, count: number): Promise<void> {
  await stage.ageDeliveries();
  // Commands cost much, and ask the service what it says here.
  await waitFor(
    async () => Object.values(await saidByService(app)).every((said) => said === count),
    PATIENCE,
  ).catch(() => undefined);
  let seen: Surfaces = same(-1);
  await waitFor(async () => {
    seen = await surfaces(app);
    return JSON.stringify(seen) === JSON.stringify(same(count));
  }, PATIENCE).catch(() => undefined);
  expect(seen).toEqual(same(count));
}

/** The sentence of attention, and the exit status of the doctor. */
async function words(app: SharedService): Promise<[string, number]> {
  const { items } = (await jsonOf(await app.fetch('/api/attention'), 200)) as { items: Json[] };
  const { code } = await runCli(['doctor'], asking(app));
  return [items.map((item) => `${String(item['code'])}: ${String(item['detail'])}`).join('\n'), Number(code)];
}

async function endpoint(app: SharedService, url: string, description = 'shop EU'): Promise<string> {
  const body = { url, description };
  const made = await jsonOf(await app.fetch('/api/webhook-endpoints', { method: 'POST', body }), 201);
  return String(made['id']);
}

const told = (stage: Stage): Promise<unknown> =>
  waitFor(async () => {
    const [row] = await stage.database.query<{ left: number }>(
      `SELECT count(*) FILTER (WHERE attempts = 0 AND state <> 'delivered')::int AS left FROM delivery`,
    );
    return row?.left === 0;
  });

describeWithBroker('how many payments a destination was not told of is the same everywhere', () => {
  let broker: ChannelModel;
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it('no destination at all, then a refused order, a circuit that opens, and an endpoint that is disabled', async () => {
    const stage = await Stage.open();
    const app = await stage.startWarm({ WEBHOOK_RETRY_SCHEDULE: '1s,1s,2s,2s,1h' });
    await stage.quotes(app, PAYMENTS);
    await expectEverywhere(stage, app, PAYMENTS);
    const [detail, untold] = await words(app);
    expect(detail).toContain(`no_receiver: Nobody was told the news of ${PAYMENTS} payments.`);
    expect(untold).toBe(1);

    const id = await endpoint(app, `${stage.shop.url}/eu`);
    const refused = await stage.quote(app, { orderId: 'refused' });
    let takes = (subject: string): boolean => subject !== refused;
    stage.shop.answer(({ json }) => ({ status: takes((json as PublishedEvent).subject) ? 204 : 500 }));
    stage.say([refused], 'DEPOSIT_RECEIVED');
    await waitFor(async () => (await stage.at([refused], 'DEPOSIT_RECEIVED')).length === 1);
    await told(stage).catch(() => undefined);
    await expectEverywhere(stage, app, PAYMENTS + 1);
    expect((await words(app))[0]).toContain('1 at shop EU');

    takes = () => false;
    await stage.quotes(app, PAYMENTS);
    await waitFor(async () => {
      const view = await jsonOf(await app.fetch(`/api/webhook-endpoints/${id}`), 200);
      return view['circuit'] === 'open';
    }, PATIENCE);
    await expectEverywhere(stage, app, 1 + 2 * PAYMENTS);

    await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'PATCH', body: { enabled: false } });
    await stage.quotes(app, 2);
    await expectEverywhere(stage, app, 3 + 2 * PAYMENTS);
  }, 240_000);

  it('all well, then a queue that refuses, types that no queue is bound for, and a broker that is away', async () => {
    const stage = await Stage.open();
    broker = await connect(brokerUrl());
    closing.push(() => broker.close());
    const channel = await broker.createChannel();
    const queue = `${stage.exchange}.full`;
    await channel.assertExchange(stage.exchange, 'topic', { durable: true });
    await channel.assertQueue(queue, { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } });
    await channel.bindQueue(queue, stage.exchange, 'payment.created');
    closing.unshift(async () => {
      await channel.deleteQueue(queue);
      await channel.deleteExchange(stage.exchange);
    });
    const proxy = await TcpProxy.inFrontOf(brokerUrl(), 5672);
    closing.push(() => proxy.close());
    const app = await stage.startWarm({ RABBITMQ_URL: proxy.through(brokerUrl()) });
    const [first = ''] = await stage.quotes(app, 1);
    await told(stage);
    await expectEverywhere(stage, app, 0);
    expect(await words(app)).toEqual(['', 0]);
    // A queue takes one more than its limit before it refuses.
    await stage.quotes(app, PAYMENTS);
    await waitFor(async () => {
      const { messageCount } = await channel.checkQueue(queue);
      return messageCount >= 1 && (await words(app))[0].includes('broker_refuses');
    }, PATIENCE);
    const [row] = await stage.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM delivery WHERE state <> 'delivered'`,
    );
    await expectEverywhere(stage, app, Number(row?.count));
    expect(row?.count).toBeGreaterThan(0);
    stage.say([first], 'EXECUTING');
    await waitFor(async () => (await stage.at([first], 'EXECUTING')).length === 1);
    await expectEverywhere(stage, app, Number(row?.count) + 1);
    expect((await words(app))[0]).toContain('events_unroutable');
    proxy.cut();
    await stage.quotes(app, 2);
    await expectEverywhere(stage, app, Number(row?.count) + 3);
    expect((await words(app))[0]).toContain('broker_away: RabbitMQ, exchange ');
  }, 120_000);
});
