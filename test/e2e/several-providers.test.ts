import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Dashboard } from '../support/dashboard/dashboard.ts';
import { AppProcess } from '../support/app-process.ts';
import { arrivalsAt, wordOf } from '../support/published-events.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { OneClickStandIn } from '../../tools/oneclick-stand-in/oneclick-stand-in.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const ROUTE = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: USDC_ON_BASE,
  toToken: USDC_ON_ARBITRUM,
  amount: '25',
  recipient: `0x${'cd'.repeat(20)}`,
};
const OPEN_CIRCUIT = `SELECT 1 FROM provider_rate_limit WHERE provider = 'http' AND circuit = 'open'`;
/** The backoff of a failing provider grows longer than this test. */
const STALLED_AFTER_SECONDS = '3';

describe('two providers in one Paybell', () => {
  let stage: Stage;
  let oneClick: OneClickStandIn;
  let app: SharedService;

  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    PROVIDER: 'http,oneclick',
    ONECLICK_BASE_URL: oneClick.url,
    ONECLICK_QUOTE_KEY: oneClick.signer.publicKey,
    ONECLICK_REFUND_TO: `evm:0x${'ab'.repeat(20)}`,
    ONECLICK_MAX_RPM: '0',
    ...more,
  });
  const quote = async (more: Json = {}): Promise<Json> =>
    jsonOf(await app.fetch('/api/quote', { method: 'POST', body: { ...ROUTE, ...more } }), 200);
  const chains = async (): Promise<Json[]> =>
    (await jsonOf(await app.fetch('/api/chains'), 200))['chains'] as Json[];
  /** The providers that each entry of USDC on Base names. */
  const providersOfUsdc = async (): Promise<unknown[]> => {
    const body = { chainIds: [8453], term: 'usdc', address: USDC_ON_BASE };
    const answer = await jsonOf(await app.fetch('/api/currencies', { method: 'POST', body }), 200);
    return (answer['currencies'] as Json[]).map(({ metadata }) => (metadata as Json)['providers']);
  };
  const addressOf = ({ send }: Json): string => String((send as Json)['depositAddress']);
  const wordsOf = (quoteId: unknown): string[] =>
    arrivalsAt(stage.shop)
      .filter(({ subject }) => subject === quoteId)
      .map(wordOf);

  beforeAll(async () => {
    stage = await Stage.open();
    oneClick = await OneClickStandIn.start();
    app = await stage.startWarm(env());
    await stage.addShop(app);
  });
  afterAll(async () => {
    await oneClick.close();
  });

  it('carries each payment by its own provider, in one log', async () => {
    const ours = [await quote(), await quote({ provider: 'oneclick' })];
    expect(ours.map(({ provider }) => provider)).toEqual(['http', 'oneclick']);
    const [plain, swap] = ours as [Json, Json];
    oneClick.lives.deposit(addressOf(swap));
    oneClick.lives.settle(addressOf(swap));
    stage.say([String(plain['quoteId'])], 'COMPLETED');
    for (const { quoteId } of ours) await waitFor(() => wordsOf(quoteId).includes('completed'));
    const rows = await stage.database.query<Json>('SELECT provider FROM payment ORDER BY id');
    expect(rows.map(({ provider }) => provider)).toEqual(['http', 'oneclick']);
  });

  it('names the provider of each payment: in its object, events, list, CSV and metrics', async () => {
    const listed = async (query: string): Promise<unknown[]> => {
      const { data } = await jsonOf(await app.fetch(`/api/payments?sort=oldest${query}`), 200);
      return (data as Json[]).map(({ provider }) => provider);
    };
    expect(await listed('')).toEqual(['http', 'oneclick']);
    expect(await listed('&provider=oneclick')).toEqual(['oneclick']);
    const { data } = await jsonOf(await app.fetch('/api/events'), 200);
    const told = (data as { type: string; data: Json }[]).filter(({ type }) => type === 'payment.completed');
    expect(new Set(told.map((event) => event.data['provider']))).toEqual(new Set(['http', 'oneclick']));
    expect(new Set(arrivalsAt(stage.shop).map((event) => event.data.provider))).toEqual(
      new Set(['http', 'oneclick']),
    );
    const csv = await app.fetch('/api/payments', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toMatch(/,COMPLETED,false,watching,oneclick,/);
    // Health and counts follow an event, soon.
    await waitFor(async () => {
      const state = await jsonOf(await app.fetch('/api/provider?name=oneclick'), 200);
      return state['name'] === 'oneclick' && state['status'] === 'ok';
    });
    await waitFor(async () => {
      const scraped = new PrometheusText(await (await app.fetch('/metrics')).text());
      return ['http', 'oneclick'].every(
        (provider) => (scraped.value('paybell_polls_total', { provider, outcome: 'changed' }) ?? 0) > 0,
      );
    });
  });

  it('quotes by the next one while the first is down, and keeps the payments of the others moving', async () => {
    const [plain, swap] = [await quote(), await quote({ provider: 'oneclick' })];
    stage.provider.fail({ status: 500 });
    const meanwhile = await quote({ orderId: 'A-2' });
    expect((await chains()).map(({ id }) => id)).toContain(42220);
    expect(await providersOfUsdc()).toEqual([['oneclick']]);
    expect(meanwhile['provider']).toBe('oneclick');
    oneClick.lives.deposit(addressOf(swap));
    oneClick.lives.settle(addressOf(swap));
    await waitFor(() => wordsOf(swap['quoteId']).includes('completed'));
    expect(wordsOf(plain['quoteId'])).not.toContain('completed');
    const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
    expect((checks as Json)['provider']).toEqual({
      status: 'degraded',
      detail: expect.stringMatching(/^http: (?!.*oneclick)/),
      providers: [
        { name: 'http', status: 'degraded', detail: expect.any(String) },
        { name: 'oneclick', status: 'ok' },
      ],
    });
    const { data } = await jsonOf(await app.fetch('/api/unanswered-quotes'), 200);
    expect(data).toEqual([expect.objectContaining({ provider: 'http', orderId: 'A-2', quoteId: null })]);
    stage.provider.recover();
  });

  it('has a tab for each on the page of providers, and names the provider of a payment and of a trouble', async () => {
    const { quoteId } = await quote({ provider: 'oneclick', orderId: 'by 1Click' });
    // A circuit opens by several payments.
    for (let made = 0; made < 3; made += 1) await quote({ provider: 'http' });
    stage.provider.fail({ status: 500 });
    await waitFor(async () => (await stage.database.query(OPEN_CIRCUIT)).length > 0);
    // An answer may be as old as fifty times the duration of its reading.
    await waitFor(
      async () => (await (await app.fetch('/api/attention')).text()).includes('provider_circuit_open'),
      { timeoutMs: 40_000, everyMs: 500 },
    );
    const dashboard = await Dashboard.open(app);
    try {
      const page = await dashboard.visit('/provider');
      expect(await page.getByRole('tab').allTextContents()).toEqual(['http degraded', '1Click']);
      await page.getByRole('tab', { name: '1Click' }).click();
      await page.getByText('1Click · updated').waitFor();
      await dashboard.visit('/provider?name=oneclick');
      await page.getByRole('tab', { name: '1Click', selected: true }).waitFor();
      await dashboard.visit(`/payments/${String(quoteId)}`);
      await page.getByText('1Click', { exact: true }).waitFor();
      await dashboard.visit('');
      await page.getByText('The provider http').first().waitFor();
      await dashboard.visit('/payments?provider=oneclick');
      await page.getByText('by 1Click').waitFor();
      expect(await page.getByText('http', { exact: true }).count()).toBe(0);
    } finally {
      await dashboard.close();
      stage.provider.recover();
    }
  });

  it('does not start without a provider that carries open payments: its last line says how many, and nothing listened', async () => {
    await app.stop();
    const refused = await AppProcess.start(stage.env(env({ PROVIDER: 'oneclick' })));
    expect(await refused.whenEnded()).toBe(1);
    expect(refused.lines.at(-1)).toMatch(/PROVIDER does not name .*http.* 4 payments of it are open/);
    expect(refused.lines.join('\n')).not.toContain('listening');
  });

  it('starts with PROVIDER_LEAVE: its payments become silent, those of the others go on', async () => {
    app = await stage.startWarm(env({ PROVIDER: 'oneclick', PROVIDER_LEAVE: 'http', STALLED_AFTER_SECONDS }));
    const open = await stage.database.query<Json>(
      `SELECT quote_id, provider FROM payment WHERE tracking = 'active' ORDER BY id`,
    );
    const left = open.find(({ provider }) => provider === 'http');
    await waitFor(() => wordsOf(left?.['quote_id']).includes('stalled provider_silent'));
    const swap = await quote();
    expect(swap['provider']).toBeUndefined();
    oneClick.lives.deposit(addressOf(swap));
    oneClick.lives.settle(addressOf(swap));
    await waitFor(() => wordsOf(swap['quoteId']).includes('completed'));
    expect((await app.fetch(`/api/payments/${String(left?.['quote_id'])}`)).status).toBe(200);
    // Payments may have a name that no setting has any more.
    const filtered = ['relay', 'relai'].map((name) => app.fetch(`/api/payments?provider=${name}`));
    expect((await Promise.all(filtered)).map(({ status }) => status)).toEqual([200, 400]);
    // An operator who removed the provider knows that Paybell does not ask it.
    const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
    expect((checks as Json)['provider']).toEqual({ status: 'ok' });
  });
});
