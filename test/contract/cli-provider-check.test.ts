import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { asJson, asText } from '../../src/cli/provider/check-text.ts';
import { checkOf } from '../../src/providers/registered-providers.ts';
import { RelayCheck } from '../../src/providers/relay/check/relay-check.ts';
import { RelayApi } from '../../src/providers/relay/relay-api.ts';
import { CheckList, type CheckLine } from '../../src/providers/shared/check-list.ts';
import { Config } from '../../src/config/config.ts';
import { configOf } from '../support/config-of.ts';
import { changed, instead } from '../support/provider-cases/cases.ts';
import { type Tamper, TamperingProxy } from '../support/tampering-proxy.ts';
import { NO_LIMITS } from '../../tools/relay-stand-in/options.js';
import { RelayStandIn } from '../../tools/relay-stand-in/relay-stand-in.js';
import { HttpReceiver, type ScriptedAnswer } from '../../tools/testkit/http-receiver.ts';

const KEY = 'relay-key-that-nobody-may-see';
const CLI = join(import.meta.dirname, '../../dist/cli/paybell.js');
const NOBODY = '0x000000000000000000000000000000000000dEaD';
const CHAINS = /^\/chains$/;
const QUOTE = /^\/quote\/v2$/;
const LISTED = /^\/requests\/v3\?(?!apiKey=)/;
const CHANGES = /^\/requests\/v3\?apiKey=/;

async function checked(config: Config, words = asText): Promise<{ text: string; isGood: boolean }> {
  const [name = ''] = config.providers;
  const list = await (await checkOf(name, config)).conform();
  return { text: words(list, name), isGood: list.isGood };
}

/** Relay's stand-in as its documentation says, except for the proxy's changes. */
let relay: RelayStandIn;
let proxy: TamperingProxy;

beforeAll(async () => {
  relay = await RelayStandIn.start({ apiKey: KEY, limits: NO_LIMITS, addressType: 'strict' });
  proxy = await TamperingProxy.before(relay.url);
});
afterAll(() => Promise.all([proxy.close(), relay.close()]));
beforeEach(() => proxy.set(null));

async function check(refundTo: string | null = NOBODY) {
  const { length: before } = relay.requests;
  const list = new CheckList(KEY);
  const options = { baseUrl: proxy.url, apiKey: KEY, timeoutMs: 2_000, maxConcurrency: 1 };
  const api = new RelayApi(options);
  await new RelayCheck(api, list, { apiKey: KEY, refundTo }).run();
  await api.close();
  const requests = relay.requests.slice(before);
  const quotes = requests.filter(({ path }) => path === '/quote/v2').map(({ body }) => body);
  return { list, requests, quotes };
}

const saying = (paths: RegExp, value: unknown, status = 200): Tamper =>
  instead(paths, { status, body: JSON.stringify(value) });
const outcomes = ({ lines }: CheckList): Record<string, string> =>
  Object.fromEntries(lines.map(({ check, outcome }) => [check, outcome]));
const line = ({ lines }: CheckList, name: string): CheckLine | undefined =>
  lines.find((each) => each.check === name);

describe('paybell provider check, of Relay', () => {
  it('finds everything as documented, with few requests, and says what it could not try', async () => {
    const { list, requests, quotes } = await check();
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
    expect(requests.length).toBeLessThanOrEqual(12);
    expect(quotes).toHaveLength(3);
    for (const body of quotes)
      expect(body).toMatchObject({ recipient: NOBODY, useDepositAddress: true, refundTo: NOBODY });
  });

  it('only reads where the doctor asks: whether it answers, and takes the key', async () => {
    const reached = async (apiKey: string) => {
      const config = configOf({ PROVIDER: 'relay', RELAY_BASE_URL: relay.url, RELAY_API_KEY: apiKey });
      return (await checkOf('relay', config)).reach();
    };
    const { length: before } = relay.requests;
    const { lines, isGood } = await reached(KEY);
    const essential = lines.filter(({ isEssential }) => isEssential).map(({ check }) => check);
    expect([isGood, essential.toSorted()]).toEqual([true, ['chains', 'key']]);
    expect(relay.requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(outcomes(await reached('another-key'))).toMatchObject({ key: 'differs' });
  });

  it('asks about both addresses in one request', async () => {
    const { requests } = await check();
    const filters = requests.flatMap(({ query }) => query['filters'] ?? []);
    expect(filters).toHaveLength(1);
    const [{ depositAddress = [] } = {}] = JSON.parse(filters[0] ?? '[]') as { depositAddress?: string[] }[];
    expect(new Set(depositAddress).size).toBe(2);
    for (const address of depositAddress) expect(relay.row(address)).toBeDefined();
  });

  const otherPayee = { payments: [{ recipient: `0x${'1'.repeat(40)}` }] };
  const unordered = [{ updatedAt: '2026-11-20T12:00:01Z' }, { updatedAt: '2026-11-20T12:00:00Z' }];
  const withoutEthereum = ({ chains }: Record<string, unknown>) => ({
    chains: (chains as { id: number }[]).filter(({ id }) => id !== 1),
  });
  it.each<[what: string, name: string, isEssential: boolean, tamper: Tamper]>([
    [
      'another recipient in the quote',
      'quote',
      true,
      changed(QUOTE, (quote) => ({ ...quote, details: { recipient: '0xother' } })),
    ],
    [
      'a quote whose order pays somebody else, which would be shown to nobody',
      'quote',
      true,
      changed(QUOTE, (quote) => ({ ...quote, protocol: { v2: { orderData: { output: otherPayee } } } })),
    ],
    [
      'one deposit address for two quotes',
      'second quote',
      true,
      changed(QUOTE, (quote) => ({ ...quote, steps: [{ depositAddress: '0xsame' }] })),
    ],
    [
      'quotes without a deposit address',
      'quote',
      true,
      saying(QUOTE, { requestId: '0x1', steps: [{ depositAddress: '' }] }),
    ],
    [
      'a filter that is ignored',
      'status by address',
      true,
      saying(LISTED, { requests: [{ id: 'x', depositAddress: { address: '0xother' } }] }),
    ],
    [
      'no chain that can be paid',
      'chains',
      true,
      saying(CHAINS, { chains: [{ id: 1, depositEnabled: false }] }),
    ],
    ['pages instead of answers', 'chains', true, instead(CHAINS, { body: '<html>sorry</html>' })],
    ['a Relay that is down', 'quote', true, saying(QUOTE, { message: 'later' }, 503)],
    ['an open address', 'deposit address', false, saying(/^\/deposit-addresses\//, { type: 'open' })],
    ['quotes without fees', 'fees', false, changed(QUOTE, (quote) => ({ ...quote, fees: undefined }))],
    [
      'another word before a deposit',
      'status by id',
      false,
      saying(/^\/intents\/status\//, { status: 'quoted' }),
    ],
    ['a chain of the spec less', 'the spec’s chains', false, changed(CHAINS, withoutEthereum)],
    [
      'a list of changes that is refused',
      'list of changes',
      false,
      saying(CHANGES, { code: 'FST_ERR_VALIDATION', message: `not ${KEY}` }, 400),
    ],
    ['a list of changes without order', 'list of changes', false, saying(CHANGES, { requests: unordered })],
  ])('reports %s: %s, essential: %j', async (_what, name, isEssential, tamper) => {
    proxy.set(tamper);
    const { list } = await check();
    expect(line(list, name)).toMatchObject({ outcome: 'differs', isEssential });
    expect([list.isGood, asText(list, 'relay').includes(KEY)]).toEqual([!isEssential, false]);
  });

  it('learns nothing of an unpayable token where every quote is refused', async () => {
    proxy.set(saying(QUOTE, { errorCode: 'NO_QUOTES', message: 'No quotes available' }, 400));
    const { list } = await check();
    expect(outcomes(list)).toMatchObject({ quote: 'differs', 'unpayable token': 'not tried' });
    expect(list.isGood).toBe(false);
  });

  it('reports a payment that is listed before its deposit, and of v1 in place of v2', async () => {
    Object.assign(relay.options, { hasCurrenciesV2: false, listsWaiting: true });
    const { list, quotes } = await check(null);
    Object.assign(relay.options, { hasCurrenciesV2: true, listsWaiting: false });
    expect(line(list, 'currencies')?.detail).toContain('v1 answers');
    expect(line(list, 'status by address')?.detail).toContain('listed as waiting');
    expect(line(list, 'refunds')).toMatchObject({
      outcome: 'differs',
      detail: expect.stringContaining('payer'),
    });
    expect(quotes).toHaveLength(3);
    for (const body of quotes) expect(body).toMatchObject({ refundTo: `0x${'0'.repeat(40)}` });
    expect(list.isGood).toBe(true);
  });

  it('stops asking when the key is not accepted, and never shows it', async () => {
    proxy.set(saying(QUOTE, { message: `key ${KEY}`, errorCode: 'UNAUTHORIZED' }, 401));
    const { list, requests } = await check();
    expect(line(list, 'quote')?.detail).toContain('RELAY_API_KEY');
    expect(line(list, 'status by address')).toMatchObject({ outcome: 'not tried', isEssential: true });
    expect(list.isGood).toBe(false);
    expect(requests).toHaveLength(3);
    for (const text of [asText(list, 'relay'), asJson(list, 'relay')]) expect(text).not.toContain(KEY);
  });
});

describe('paybell provider check', () => {
  let server: HttpReceiver;
  /** The answers of a provider of the specification, by path. */
  let answers: Readonly<Record<string, ScriptedAnswer>> = {};

  beforeAll(async () => {
    server = await HttpReceiver.start(({ path }) => answers[path] ?? json({ message: 'no such path' }, 404));
  });
  afterAll(() => server.close());

  const json = (value: unknown, status = 200): ScriptedAnswer => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

  it('prints nothing that a terminal would obey', () => {
    const list = new CheckList(KEY);
    list.ok('quote', `\u001b[2J${KEY} says\n so`);
    expect(list.lines[0]?.detail).toBe('[2J… says so');
  });

  const http = (url: string): Config => configOf({ PROVIDER_BASE_URL: url, PROVIDER_API_KEY: KEY });

  it('asks a provider that speaks the spec for its chains and for a quote that does not exist', async () => {
    answers = { '/api/chains': json({ success: true, chains: [{ id: 1 }] }) };
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

  it('asks it for its chains alone where the doctor asks', async () => {
    answers = { '/api/chains': json({ success: true, chains: [{ id: 1 }] }) };
    const { length: before } = server.requests;
    const { lines } = await (await checkOf('http', http(server.url))).reach();
    expect([lines.length, server.requests.length - before]).toEqual([1, 1]);
  });

  it('reports what is wrong with such a provider', async () => {
    answers = { '/api/chains': json({}, 401) };
    const { text, isGood } = await checked(http(server.url));
    expect(text).toMatch(/^! differs {4}chains {2}The payment provider does not accept the key/);
    expect([isGood, text.includes(KEY)]).toEqual([false, false]);
  });

  it('says which URLs it asked, and what to do where no API is there', async () => {
    answers = { '/pay/api/chains': json({ success: true, chains: [{ id: 1 }] }) };
    const good = await checked(http(`${server.url}/pay/`));
    expect(good.text).toContain(`1 chains (GET ${server.url}/pay/api/chains)`);
    expect(good.text).toContain(`(GET ${server.url}/pay/api/status/{id})`);
    const { text, isGood } = await checked(http(`${server.url}/docs`));
    expect([text.includes(`GET ${server.url}/docs/api/chains`), isGood]).toEqual([true, false]);
    answers = { '/docs/api/chains': { status: 404, body: '<html></html>' } };
    const { text: lost } = await checked(http(`${server.url}/docs`));
    expect(lost).toContain(
      `GET ${server.url}/docs/api/chains answered 404. Check PROVIDER_BASE_URL (without /api).`,
    );
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
      RELAY_BASE_URL: relay.url,
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
