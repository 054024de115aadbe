import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { RelayApi } from '../../src/providers/relay/relay-api.ts';
import { asJson, asText, CheckList, type CheckLine } from '../../src/cli/provider/check-list.ts';
import { checkProvider } from '../../src/cli/provider/provider-check.ts';
import { RelayCheck } from '../../src/cli/provider/relay-check.ts';
import { Config } from '../../src/config/config.ts';
import { configOf } from '../support/config-of.ts';
import { transferCall } from '../support/relay-answers.ts';
import {
  HttpReceiver,
  type ReceivedRequest,
  type ScriptedAnswer,
} from '../../tools/testkit/http-receiver.ts';

const KEY = 'relay-key-that-nobody-may-see';
const CLI = join(import.meta.dirname, '../../dist/cli/paybell.js');
const NINE = [1, 10, 56, 137, 8453, 42161, 42220, 43114, 792703809];
const NOBODY = '0x000000000000000000000000000000000000dEaD';

type Answers = Record<string, (request: ReceivedRequest) => ScriptedAnswer>;

async function checked(config: Config, words = asText): Promise<{ text: string; isGood: boolean }> {
  const [name = ''] = config.providers;
  const list = await checkProvider(config, name);
  return { text: words(list, name), isGood: list.isGood };
}

let server: HttpReceiver;
let quotes = 0;
/** What is answered otherwise than by a Relay that is as documented. */
let odd: Answers = {};

const json = (value: unknown, status = 200): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

function chain(id: number): Record<string, unknown> {
  return {
    id,
    disabled: false,
    depositEnabled: true,
    depositFee: 0.8,
    solverCurrencies: [{ symbol: 'USDC' }],
  };
}

function quote(body: Record<string, unknown>, more: Record<string, unknown> = {}): ScriptedAnswer {
  if (body['originChainId'] === 137)
    return json({ message: 'not supported', errorCode: 'UNSUPPORTED_CURRENCY' }, 400);
  quotes += 1;
  const requestId = `0x${String(quotes).padStart(64, '0')}`;
  const depositAddress = `0x${String(quotes).padStart(40, '0')}`;
  const transfer = {
    chainId: body['originChainId'],
    to: body['originCurrency'],
    data: transferCall(depositAddress, BigInt(String(body['amount']))),
  };
  const currency = (side: 'origin' | 'destination'): object => ({
    currency: { chainId: body[`${side}ChainId`], address: body[`${side}Currency`], decimals: 6 },
    amount: body['amount'],
  });
  return json({
    requestId,
    steps: [{ id: 'deposit', requestId, depositAddress, items: [{ data: transfer }] }],
    fees: { gas: {} },
    details: {
      recipient: body['recipient'],
      currencyIn: currency('origin'),
      currencyOut: currency('destination'),
    },
    ...more,
  });
}

/** Quotes with other fields, a list of requests, or one of changes. */
const quoting = (more: Record<string, unknown>): Answers => ({
  'POST /quote/v2': ({ json: body }) => quote(body as Record<string, unknown>, more),
});
const listing = (requests: object[], changes: object[] = []): Answers => ({
  'GET /requests/v3': ({ path }) => json({ requests: path.includes('apiKey=') ? changes : requests }),
});

const AS_DOCUMENTED: Answers = {
  'GET /chains': () => json({ chains: [...NINE.map(chain), { ...chain(5), disabled: true }] }),
  'POST /currencies/v2': () => json([{ chainId: 8453, address: '0x8', symbol: 'USDC' }]),
  'POST /quote/v2': ({ json: body }) => quote(body as Record<string, unknown>),
  'GET /deposit-addresses/v1': () => json({ type: 'strict' }),
  'GET /intents/status/v3': () => json({ status: 'waiting' }),
  'GET /requests/v3': () => json({ requests: [] }),
};

beforeAll(async () => {
  server = await HttpReceiver.start((request) => {
    const { method, path } = request;
    const name = `${method} ${path.split('?', 1)[0]}`;
    return (odd[name] ?? AS_DOCUMENTED[name] ?? (() => json({ message: 'no such path' }, 404)))(request);
  });
});
afterAll(() => server.close());
beforeEach(() => {
  [quotes, odd] = [0, {}];
  server.requests.length = 0;
});

async function check(refundTo: string | null = NOBODY): Promise<CheckList> {
  const list = new CheckList(KEY);
  const options = { baseUrl: server.url, apiKey: KEY, timeoutMs: 2_000, maxConcurrency: 1 };
  const api = new RelayApi(options);
  await new RelayCheck(api, list, { apiKey: KEY, refundTo }).run();
  await api.close();
  return list;
}

const outcomes = ({ lines }: CheckList): Record<string, string> =>
  Object.fromEntries(lines.map(({ check, outcome }) => [check, outcome]));
const line = ({ lines }: CheckList, name: string): CheckLine | undefined =>
  lines.find((each) => each.check === name);

describe('paybell provider check, of Relay', () => {
  it('finds everything as documented, with few requests, and says what it could not try', async () => {
    const list = await check();
    expect(outcomes(list)).toEqual({
      chains: 'ok',
      'the spec’s chains': 'ok',
      currencies: 'ok',
      quote: 'ok',
      fees: 'ok',
      refunds: 'ok',
      'second quote': 'ok',
      'unpayable token': 'ok',
      'deposit address': 'ok',
      'status by id': 'ok',
      'status by address': 'ok',
      'list of changes': 'ok',
      'late deposits': 'not tried',
      'other amounts': 'not tried',
      notices: 'not tried',
      limits: 'not tried',
      'test networks': 'not tried',
    });
    expect(list.isGood).toBe(true);
    expect(server.requests.length).toBeLessThanOrEqual(12);
    expect(server.requests.filter(({ path }) => path === '/quote/v2')).toHaveLength(3);
  });

  it('asks for quotes that deliver to nobody, and about both addresses in one request', async () => {
    await check();
    const bodies = server.requests.flatMap(({ path, json: body }) =>
      path === '/quote/v2' ? [body as Record<string, unknown>] : [],
    );
    for (const body of bodies)
      expect(body).toMatchObject({ recipient: NOBODY, useDepositAddress: true, refundTo: NOBODY });
    const filters = server.requests.flatMap(
      ({ path }) => new URL(path, server.url).searchParams.get('filters') ?? [],
    );
    expect(filters.map((each) => JSON.parse(each) as unknown)).toEqual([
      [{ depositAddress: [`0x${'1'.padStart(40, '0')}`, `0x${'2'.padStart(40, '0')}`] }],
    ]);
  });

  it.each<[string, string, Answers]>([
    ['another recipient in the quote', 'quote', quoting({ details: { recipient: '0xother' } })],
    [
      'a quote whose order pays somebody else, which would be shown to nobody',
      'quote',
      quoting({
        protocol: { v2: { orderData: { output: { payments: [{ recipient: `0x${'1'.repeat(40)}` }] } } } },
      }),
    ],
    [
      'one deposit address for two quotes',
      'second quote',
      quoting({ steps: [{ depositAddress: '0xsame' }] }),
    ],
    [
      'quotes without a deposit address',
      'quote',
      { 'POST /quote/v2': () => json({ requestId: '0x1', steps: [{ depositAddress: '' }] }) },
    ],
    [
      'a filter that is ignored',
      'status by address',
      listing([{ id: 'x', depositAddress: { address: '0xother' } }]),
    ],
    [
      'no chain that can be paid',
      'chains',
      { 'GET /chains': () => json({ chains: [{ id: 1, depositEnabled: false }] }) },
    ],
    ['pages instead of answers', 'chains', { 'GET /chains': () => ({ body: '<html>sorry</html>' }) }],
    ['a Relay that is down', 'quote', { 'POST /quote/v2': () => json({ message: 'later' }, 503) }],
  ])('is not content with %s', async (_what, name, answers) => {
    odd = answers;
    const list = await check();
    expect(line(list, name)).toMatchObject({ outcome: 'differs', isEssential: true });
    expect(list.isGood).toBe(false);
  });

  it('learns nothing of an unpayable token where every quote is refused', async () => {
    odd = { 'POST /quote/v2': () => json({ errorCode: 'NO_QUOTES', message: 'No quotes available' }, 400) };
    const list = await check();
    expect(outcomes(list)).toMatchObject({ quote: 'differs', 'unpayable token': 'not tried' });
    expect(list.isGood).toBe(false);
  });

  it.each<[string, string, Answers]>([
    ['an open address', 'deposit address', { 'GET /deposit-addresses/v1': () => json({ type: 'open' }) }],
    ['quotes without fees', 'fees', quoting({ fees: undefined })],
    [
      'another word before a deposit',
      'status by id',
      { 'GET /intents/status/v3': () => json({ status: 'quoted' }) },
    ],
    [
      'a chain of the spec less',
      'the spec’s chains',
      { 'GET /chains': () => json({ chains: NINE.slice(1).map(chain) }) },
    ],
    [
      'a list of changes that is refused',
      'list of changes',
      {
        'GET /requests/v3': ({ path }) =>
          path.includes('apiKey=')
            ? json({ code: 'FST_ERR_VALIDATION', message: `not ${KEY}` }, 400)
            : json({ requests: [] }),
      },
    ],
    [
      'a list of changes without order',
      'list of changes',
      listing([], [{ updatedAt: '2026-11-20T12:00:01Z' }, { updatedAt: '2026-11-20T12:00:00Z' }]),
    ],
  ])('reports %s, and can live with it', async (_what, name, answers) => {
    odd = answers;
    const list = await check();
    expect(line(list, name)?.outcome).toBe('differs');
    expect([list.isGood, asText(list, 'relay').includes(KEY)]).toEqual([true, false]);
  });

  it('reports a payment that is listed before its deposit, and of v1 in place of v2', async () => {
    odd = {
      'POST /currencies/v2': () => json({ message: 'not found' }, 404),
      'POST /currencies/v1': () => json([[{ chainId: 8453, address: '0x8' }]]),
      ...listing([{ status: 'waiting', depositAddress: { address: `0X${'1'.padStart(40, '0')}` } }]),
    };
    const list = await check(null);
    expect(line(list, 'currencies')?.detail).toContain('v1 answers');
    expect(line(list, 'status by address')?.detail).toContain('listed as waiting');
    expect(line(list, 'refunds')).toMatchObject({
      outcome: 'differs',
      detail: expect.stringContaining('payer'),
    });
    const quotes = server.requests.filter(({ path }) => path === '/quote/v2');
    expect(quotes.map(({ json: body }) => body)).toEqual(
      quotes.map(() => expect.objectContaining({ refundTo: `0x${'0'.repeat(40)}` })),
    );
    expect(list.isGood).toBe(true);
  });

  it('stops asking when the key is not accepted, and never shows it', async () => {
    odd = { 'POST /quote/v2': () => json({ message: `key ${KEY}`, errorCode: 'UNAUTHORIZED' }, 401) };
    const list = await check();
    expect(line(list, 'quote')?.detail).toContain('RELAY_API_KEY');
    expect(line(list, 'status by address')).toMatchObject({ outcome: 'not tried', isEssential: true });
    expect(list.isGood).toBe(false);
    expect(server.requests).toHaveLength(3);
    for (const text of [asText(list, 'relay'), asJson(list, 'relay')]) expect(text).not.toContain(KEY);
  });
});

describe('paybell provider check', () => {
  it('prints nothing that a terminal would obey', () => {
    const list = new CheckList(KEY);
    list.ok('quote', `\u001b[2J${KEY} says\n so`);
    expect(list.lines[0]?.detail).toBe('[2J… says so');
  });

  const http = (url: string): Config => configOf({ PROVIDER_BASE_URL: url, PROVIDER_API_KEY: KEY });

  it('asks a provider that speaks the spec for its chains and for a quote that does not exist', async () => {
    odd = { 'GET /api/chains': () => json({ success: true, chains: [{ id: 1 }] }) };
    const { text, isGood } = await checked(http(server.url), asJson);
    expect(JSON.parse(text)).toMatchObject({
      provider: 'http',
      ok: true,
      checks: [
        { check: 'chains', outcome: 'ok', essential: true },
        { check: 'status', outcome: 'ok' },
        { check: 'quote', outcome: 'not tried', essential: false },
      ],
    });
    expect([isGood, server.requests.length]).toEqual([true, 2]);
  });

  it('reports what is wrong with such a provider', async () => {
    odd = { 'GET /api/chains': () => json({}, 401) };
    const { text, isGood } = await checked(http(server.url));
    expect(text).toMatch(/^! differs {4}chains {2}The payment provider does not accept the key/);
    expect([isGood, text.includes(KEY)]).toEqual([false, false]);
  });

  it('says which URLs it asked, and what to do where no API is there', async () => {
    odd = { 'GET /pay/api/chains': () => json({ success: true, chains: [{ id: 1 }] }) };
    const good = await checked(http(`${server.url}/pay/`));
    expect(good.text).toContain(`1 chains (GET ${server.url}/pay/api/chains)`);
    expect(good.text).toContain(`(GET ${server.url}/pay/api/status/{id})`);
    const { text, isGood } = await checked(http(`${server.url}/docs`));
    expect([text.includes(`GET ${server.url}/docs/api/chains`), isGood]).toEqual([true, false]);
    odd = { 'GET /docs/api/chains': () => ({ status: 404, body: '<html></html>' }) };
    const { text: lost } = await checked(http(`${server.url}/docs`));
    expect(lost).toContain(
      `GET ${server.url}/docs/api/chains answered 404. Check PROVIDER_BASE_URL (without /api).`,
    );
  });

  it('takes no other provider for the sandbox: without a check of its own, nothing was tried', async () => {
    const config = Object.assign(Object.create(configOf({})) as Config, { providers: ['another'] });
    const { text, isGood } = await checked(config);
    expect([text, isGood]).toEqual([expect.stringContaining('not tried'), false]);
  });
});

describe('the command', () => {
  const run = (
    words: string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [CLI, ...words], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });

  it('checks each of several providers, one after another, and says which is not as expected', async () => {
    const several = {
      PROVIDER: 'http,relay',
      PROVIDER_BASE_URL: 'http://127.0.0.1:1',
      RELAY_BASE_URL: server.url,
      RELAY_API_KEY: KEY,
    };
    const { code, out } = await run(['provider', 'check'], several);
    const summaries = out.split('\n').filter((line) => /^(http|relay): /.test(line));
    expect([code, summaries]).toEqual([
      1,
      ['http: the essential checks marked with ! are not as expected.', expect.stringMatching(/^relay: /)],
    ]);
    expect(out).toContain('connection refused');
    expect(out).not.toContain(KEY);
  });

  it('ends with 0, and with 2 for words without sense', async () => {
    expect(await run(['provider', 'check', '--json'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('"provider": "sandbox"'),
    });
    expect(await run(['provider', 'check', '--all'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Usage:'),
    });
  });
});
