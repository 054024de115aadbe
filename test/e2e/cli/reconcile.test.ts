import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { asking, runCli } from '../../support/cli.ts';
import { brokerUrl, describeWithBroker } from '../../support/broker.ts';
import { jsonOf, Stage } from '../../support/stage.ts';
import { Subscriber } from '../../support/subscriber.ts';
import { TcpProxy } from '../../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

/** The time between two checks, each of which runs a whole command. */
const SELDOM = { everyMs: 250 };

let stage: Stage;
let app: SharedService;
let env: Record<string, string>;

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm();
  env = asking(app);
  await stage.addShop(app);
});

async function reconcile(...words: string[]) {
  const { code, stdout, stderr } = await runCli(['reconcile', '--since', '1h', ...words], env);
  return { code, stdout, stderr };
}

async function disagreementsOf(quoteId: string): Promise<readonly string[]> {
  const { stdout } = await reconcile('--json', '--all');
  const { data } = JSON.parse(stdout) as { data: { quoteId: string; disagreements: string[] }[] };
  return data.find((each) => each.quoteId === quoteId)?.disagreements ?? ['it is not in the report'];
}

async function endpointId(): Promise<string> {
  const { data } = await jsonOf(await app.fetch('/api/webhook-endpoints'), 200);
  return (data as { id: string }[])[0]?.id ?? '';
}

describe('paybell reconcile', () => {
  it('finds nothing where all agree, and shows what it compared', async () => {
    const quoteId = await stage.quote(app, { orderId: 'A-1' });
    stage.say([quoteId], 'COMPLETED');
    await stage.published(app, quoteId, ['created', 'completed']);
    expect(await reconcile()).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^1 payments since \S+Z, of which 0 disagree\.\n$/),
    });
    const all = JSON.parse((await reconcile('--all', '--json')).stdout) as object;
    expect(all).toMatchObject({
      payments: 1,
      data: [
        {
          quoteId,
          orderId: 'A-1',
          status: 'COMPLETED',
          providerStatus: 'COMPLETED',
          lastEvent: '#2 payment.completed',
          acknowledged: [expect.stringMatching(/^[\da-f-]{36}=2$/)],
          disagreements: [],
        },
      ],
    });
  });

  it('finds an endpoint that does not acknowledge, with exit status 1', async () => {
    stage.shop.answer(() => ({ status: 503 }));
    const quoteId = await stage.quote(app, { orderId: '=cmd();=cmd()' });
    await waitFor(() => stage.shop.requests.some(({ text }) => text.includes(quoteId)));
    await stage.ageDeliveries();
    await waitFor(async () => (await disagreementsOf(quoteId)).join().includes('503'), SELDOM);
    expect(await disagreementsOf(quoteId)).toEqual([
      expect.stringMatching(/^http:\S+ was not told #1 payment\.created: pending, 503$/),
    ]);
    const { code, stdout } = await reconcile();
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^${quoteId} .* was not told #1`, 'm')),
    ]);
    const csv = await reconcile('--csv');
    expect(csv.stdout).toMatch(/^quoteId,orderId,[^\n]+,disagreements\r\n/);
    expect(csv.stdout).toContain(`${quoteId},"'=cmd();'=cmd()",`);
    stage.shop.answer(() => ({ status: 204 }));
    // A test that is delivered closes the circuit that the failures may have opened.
    expect((await runCli(['endpoints', 'test', await endpointId()], env)).code).toBe(0);
    await waitFor(async () => (await disagreementsOf(quoteId)).length === 0, SELDOM);
  });

  it('finds what an endpoint missed while it was disabled', async () => {
    const path = `/api/webhook-endpoints/${await endpointId()}`;
    await jsonOf(await app.fetch(path, { method: 'PATCH', body: { enabled: false } }), 200);
    const quoteId = await stage.quote(app);
    await stage.ageDeliveries();
    expect(await disagreementsOf(quoteId)).toEqual([
      expect.stringMatching(/ was not told #1 payment\.created \(it is disabled\)$/),
    ]);
    await jsonOf(await app.fetch(path, { method: 'PATCH', body: { enabled: true } }), 200);
    expect(await disagreementsOf(quoteId)).toEqual([
      expect.stringMatching(/ was not told #1 payment\.created$/),
    ]);
    const recovered = await runCli(
      ['endpoints', 'recover', await endpointId(), '--since', '1h', '--wait'],
      env,
    );
    expect(recovered.code).toBe(0);
    await waitFor(async () => (await disagreementsOf(quoteId)).length === 0, SELDOM);
  });

  it('finds a provider that contradicts what it said', async () => {
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'EXECUTING');
    await waitFor(async () => (await stage.at([quoteId], 'EXECUTING')).length === 1);
    stage.say([quoteId], 'AWAITING_DEPOSIT');
    await waitFor(async () => (await disagreementsOf(quoteId)).length > 0, SELDOM);
    expect(await disagreementsOf(quoteId)).toEqual(['payment.anomaly went_back is the last event']);
  });

  it('asks the provider anew with --ask, and only about the payments of the time', async () => {
    const quoteId = await stage.quote(app);
    const asked = (): number => stage.provider.requests.filter(({ path }) => path.includes(quoteId)).length;
    const before = asked();
    await reconcile('--ask', '--until', '30m');
    expect(JSON.parse((await reconcile('--all', '--json', '--until', '30m')).stdout)).toMatchObject({
      payments: 0,
    });
    stage.say([quoteId], 'COMPLETED');
    // A scheduled poll just before replaces the requested one: two polls of one payment keep their least gap.
    await waitFor(async () => {
      const { stdout } = await reconcile('--ask', '--all', '--json');
      const { data } = JSON.parse(stdout) as { data: { quoteId: string; status: string }[] };
      return data.find((each) => each.quoteId === quoteId)?.status === 'COMPLETED';
    }, SELDOM);
    expect(asked()).toBeGreaterThan(before);
  });
});

describeWithBroker('paybell reconcile beside a broker that is away', () => {
  it('finds an event that RabbitMQ has not acknowledged, and nothing once it has', async () => {
    const proxy = await TcpProxy.inFrontOf(brokerUrl(), 5672);
    const other = await Stage.open();
    await Subscriber.open(brokerUrl(), other.exchange);
    proxy.cut();
    const beside = await other.startWarm({ RABBITMQ_URL: proxy.through(brokerUrl()) });
    const quoteId = await other.quote(beside);
    await other.ageDeliveries();
    const found = async (): Promise<{ acknowledged: string[]; disagreements: string[] } | undefined> => {
      const words = ['reconcile', '--since', '1h', '--json', '--all'];
      const { stdout } = await runCli(words, asking(beside));
      return (JSON.parse(stdout) as { data: { acknowledged: string[]; disagreements: string[] }[] }).data[0];
    };
    await waitFor(async () => (await found())?.disagreements.length === 1, { ...SELDOM, timeoutMs: 40_000 });
    expect(await found()).toMatchObject({
      acknowledged: ['rabbitmq=-'],
      disagreements: [
        expect.stringMatching(/^RabbitMQ \(exchange \S+\) was not told #1 payment\.created: pending, /),
      ],
    });
    const shown = await runCli(['payments', 'show', quoteId], asking(beside));
    expect(shown.stdout).toMatch(/^RabbitMQ \(exchange \S+\) +0 of 1 +#1 payment\.created +is away /m);
    proxy.heal();
    const owed = `SELECT 1 FROM delivery WHERE state <> 'delivered'`;
    await waitFor(async () => (await other.database.query(owed)).length === 0, {
      everyMs: 100,
      timeoutMs: 60_000,
    });
    expect(await found()).toMatchObject({ acknowledged: ['rabbitmq=1'], disagreements: [] });
    await proxy.close();
    // The broker is tried again after a pause.
  }, 150_000);
});
