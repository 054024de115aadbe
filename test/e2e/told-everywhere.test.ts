import { afterAll, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { asking, runCli } from '../support/cli.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

/** The number of untold payments by each surface; none of them reads another. */
interface Said {
  readonly attention: number;
  readonly filter: number;
  readonly column: number;
  readonly ready: number;
  readonly metrics: number;
}
interface Surfaces extends Said {
  readonly doctor: number;
  readonly doctorStatus: number;
  readonly list: number;
  readonly reconcile: number;
}

type Json = Record<string, unknown>;

const PAYMENTS = 4;
/** No test here waits for a poll, and each poll costs the machine. */
const SELDOM = { POLL_INTERVAL_MS: '1000', POLL_MIN_GAP_MS: '500' };
const PATIENCE = { timeoutMs: 40_000, everyMs: 500 };
/** The RPC of the chain never answers: a completion waits for its proof. */
const WITHHELD = {
  VERIFY: 'require',
  CHAIN_RPC: '8453=http://127.0.0.1:1',
  CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8',
};
/** The sentence that health, attention and doctor share. */
const SENTENCE = /(\d+) payments? ha(?:s|ve) news that a destination was not told/;

const countIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);

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
  const compared = (JSON.parse(reconcile.stdout) as { data: { disagreements: string[] }[] }).data;
  return {
    ...said,
    doctor: countIn(doctor.stdout, SENTENCE),
    doctorStatus: Number(doctor.code),
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
    doctorStatus: count > 0 ? 1 : 0,
    list: count,
    reconcile: count,
  };
}

/** Waits until all surfaces agree: each reading may be some seconds old. */
async function expectEverywhere(stage: Stage, app: SharedService, count: number): Promise<void> {
  await stage.ageDeliveries();
  // Commands cost much, and would ask the service for the same number.
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

/** The items of attention, as `code: detail`. */
async function attentionOf(app: SharedService): Promise<string> {
  const { items } = (await jsonOf(await app.fetch('/api/attention'), 200)) as { items: Json[] };
  return items.map((item) => `${String(item['code'])}: ${String(item['detail'])}`).join('\n');
}

const told = (stage: Stage): Promise<unknown> =>
  waitFor(async () => {
    const [row] = await stage.database.query<{ left: number }>(
      `SELECT count(*) FILTER (WHERE state <> 'delivered')::int AS left FROM delivery`,
    );
    return row?.left === 0;
  }, PATIENCE);

describeWithBroker('how many payments a destination was not told of is the same everywhere', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it('all well, then a refused order, a circuit that opens, an endpoint that is disabled, one that is deleted, and none', async () => {
    const stage = await Stage.open();
    const app = await stage.startWarm({ ...SELDOM, WEBHOOK_RETRY_SCHEDULE: '1s,1s,2s,2s,1h' });
    await stage.addShop(app);
    const [endpoint] = (await jsonOf(await app.fetch('/api/webhook-endpoints'), 200))['data'] as Json[];
    const path = `/api/webhook-endpoints/${String(endpoint?.['id'])}`;
    await stage.quotes(app, PAYMENTS);
    await told(stage);
    await expectEverywhere(stage, app, 0);
    expect(await attentionOf(app)).toBe('');

    stage.shop.answer(({ text }) => ({ status: text.includes('"orderId":"refused"') ? 500 : 204 }));
    await stage.quote(app, { orderId: 'refused' });
    await expectEverywhere(stage, app, 1);

    stage.shop.answer(() => ({ status: 500 }));
    await stage.quotes(app, PAYMENTS);
    await waitFor(async () => (await jsonOf(await app.fetch(path), 200))['circuit'] === 'open', PATIENCE);
    await expectEverywhere(stage, app, 1 + PAYMENTS);

    await app.fetch(path, { method: 'PATCH', body: { enabled: false } });
    await stage.quotes(app, 2);
    await expectEverywhere(stage, app, 3 + PAYMENTS);
    await app.fetch(path, { method: 'DELETE' });
    await stage.quote(app);
    await expectEverywhere(stage, app, 4 + PAYMENTS);
    expect(await attentionOf(app)).toContain('no_receiver: Nobody was told the news of 1 payment.');
  }, 240_000);

  it('a payment that a person has released while its endpoint refuses, until the endpoint knows of the completion', async () => {
    const stage = await Stage.open();
    const WEBHOOK_RETRY_SCHEDULE = Array(60).fill('2s').join(',');
    const app = await stage.startWarm({ ...SELDOM, ...WITHHELD, WEBHOOK_RETRY_SCHEDULE });
    await stage.addShop(app);
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'COMPLETED');
    await waitFor(async () => {
      const { status, verification } = await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200);
      return status === 'EXECUTING' && verification !== null;
    }, PATIENCE);
    await told(stage);

    stage.shop.answer(() => ({ status: 503 }));
    const words = ['payments', 'release', quoteId, '--reason', 'seen in the wallet'];
    expect((await runCli(words, asking(app))).code).toBe(0);
    await expectEverywhere(stage, app, 1);
    const toDoOf = async (): Promise<string | undefined> => {
      const { stdout } = await runCli(['payments', 'show', quoteId], asking(app));
      return /^To do: .*$/m.exec(stdout)?.[0];
    };
    expect(await toDoOf()).toMatch(/^To do: Look into the log of .*; the event is sent again by itself\.$/);

    stage.shop.answer(() => ({ status: 204 }));
    await told(stage);
    await expectEverywhere(stage, app, 0);
    expect(await toDoOf()).toBeUndefined();
  }, 240_000);

  it('a queue that refuses, types that no queue is bound for, and a broker that is away, beside an endpoint that is well', async () => {
    const stage = await Stage.open();
    const proxy = await TcpProxy.inFrontOf(brokerUrl(), 5672);
    const broker = await connect(brokerUrl());
    const channel = await broker.createChannel();
    const queue = `${stage.exchange}.full`;
    closing.push(
      () => proxy.close(),
      () => channel.deleteQueue(queue),
      () => channel.deleteExchange(stage.exchange),
      () => broker.close(),
    );
    await channel.assertExchange(stage.exchange, 'topic', { durable: true });
    await channel.assertQueue(queue, { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } });
    await channel.bindQueue(queue, stage.exchange, 'payment.created');
    const app = await stage.startWarm({ ...SELDOM, RABBITMQ_URL: proxy.through(brokerUrl()) });
    await stage.addShop(app);
    const [first = ''] = await stage.quotes(app, 1);
    await told(stage);
    await expectEverywhere(stage, app, 0);
    // A queue takes one message more than its limit before it refuses.
    await stage.quotes(app, PAYMENTS);
    await waitFor(async () => {
      const { messageCount } = await channel.checkQueue(queue);
      return messageCount >= 1 && (await attentionOf(app)).includes('broker_refuses');
    }, PATIENCE);
    const [row] = await stage.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM delivery WHERE state <> 'delivered'`,
    );
    const refused = row?.count ?? 0;
    expect(refused).toBeGreaterThan(0);
    await expectEverywhere(stage, app, refused);
    stage.say([first], 'EXECUTING');
    await waitFor(async () => (await stage.at([first], 'EXECUTING')).length === 1);
    await expectEverywhere(stage, app, refused + 1);
    expect(await attentionOf(app)).toContain('events_unroutable');

    proxy.cut();
    await stage.quotes(app, 2);
    await expectEverywhere(stage, app, refused + 3);
    expect(await attentionOf(app)).toContain('broker_away: RabbitMQ (exchange ');
  }, 240_000);
});
