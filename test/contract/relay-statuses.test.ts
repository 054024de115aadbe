import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { unavailable } from '../../src/providers/connection/read-response.ts';
import type { RelayApi, RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import type { RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import { RelayStore } from '../../src/providers/relay/quote/relay-store.ts';
import {
  BATCH_SIZE,
  readStatuses,
  type StatusSources,
} from '../../src/providers/relay/status/relay-status-reader.ts';
import { StatusQueries } from '../../src/providers/relay/status/status-queries.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { openReplicas } from '../support/replicas.ts';
import {
  HttpReceiver,
  type ReceivedRequest,
  type ScriptedAnswer,
} from '../../tools/testkit/http-receiver.ts';
import {
  ARBITRUM,
  BASE,
  evmAddress,
  paidAddress,
  QUOTED_AT,
  relayAmount,
  relayQuote,
  relayRow,
  route,
} from '../support/relay-rows.ts';

type Json = Record<string, unknown>;

const MAX_ADDRESSES = 40;
const MAX_REQUESTS_A_BATCH = 12;
const SOON = new Date(QUOTED_AT.getTime() + 60_000);

const clock: Clock = { now: () => now };

let now = SOON;
let server: HttpReceiver;
let rows: Json[];

const { one: stores } = await openReplicas();
const store = new RelayStore(stores.database, 5_000);

beforeEach(async () => {
  rows = [];
  now = SOON;
  server = await HttpReceiver.start(answerByRows);
});

afterEach(async () => {
  await server.close();
});

/** Relay's answer to a query: rows of the requested addresses or ids, those changed last first, 50 a page. */
function answerByRows(request: ReceivedRequest): ScriptedAnswer {
  const { addresses, ids, statuses, from } = questionOf(request);
  const fitting = rows
    .filter(
      (row) => ids.includes(String(row['id'])) || addresses.includes(addressOf(row)?.toLowerCase() ?? ''),
    )
    .filter((row) => statuses === null || statuses.includes(String(row['status'])))
    .sort((a, b) => String(b['updatedAt']).localeCompare(String(a['updatedAt'])));
  const page = fitting.slice(from, from + 50);
  const next = from + 50 < fitting.length ? { continuation: `page+${from + 50}/&` } : {};
  return { body: JSON.stringify({ requests: page, ...next }) };
}

function questionOf({ path }: ReceivedRequest): {
  addresses: string[];
  ids: string[];
  statuses: string[] | null;
  from: number;
  query: URLSearchParams;
} {
  const query = new URL(path, 'http://relay').searchParams;
  const alone = query.get('depositAddress');
  const groups = JSON.parse(query.get('filters') ?? '[]') as {
    depositAddress?: string | string[];
    id?: string | string[];
    status?: string[];
  }[];
  const from = Number(/^page\+(\d+)\/&$/.exec(query.get('continuation') ?? '')?.[1] ?? 0);
  const named = alone === null ? groups.flatMap(({ depositAddress = [] }) => depositAddress) : [alone];
  const addresses = named.map((address) => address.toLowerCase());
  const ids = [...query.getAll('id'), ...groups.flatMap(({ id = [] }) => id)];
  return { addresses, ids, statuses: groups[0]?.status ?? null, from, query };
}

function queryOf(request: ReceivedRequest): URLSearchParams {
  return questionOf(request).query;
}

function wordOf(answer: StatusAnswer): string {
  return answer.kind === 'report' ? (answer.report.status ?? '') : answer.kind;
}

function addressOf(row: Json): string | undefined {
  return (row['depositAddress'] as { address: string } | null)?.address;
}

/** Answers like the real API, by JSON or by the reason why there is none. */
const api: Pick<RelayApi, 'get'> = {
  async get(path: string): Promise<RelayAnswer> {
    const response = await fetch(`${server.url}${path}`);
    const { status } = response;
    if (status === 200) return { kind: 'json', value: await response.json() };
    if (status === 401) return { kind: 'credentials' };
    if (status === 400) return { kind: 'error', httpStatus: 400, code: 'BAD', message: 'no such filter' };
    const retryAfterMs = status === 429 ? 7_000 : null;
    return { kind: 'unavailable', reason: `status ${status}`, httpStatus: status, retryAfterMs };
  },
};

/** A row without an address, which belongs to a quote by its id alone. */
function unaddressed(quote: RelayQuote, id: string, status: string, more: Json = {}, data: Json = {}): Json {
  return relayRow(quote, { ...more, id, status, depositAddress: null }, data);
}

let made = 0;

async function added(count: number, partial: Partial<RelayQuote> = {}): Promise<RelayQuote[]> {
  const quotes = Array.from({ length: count }, () => {
    made += 1;
    const depositAddress = evmAddress(0xabc000 + made);
    return relayQuote({ quoteId: randomUUID(), requestId: `0x${randomUUID()}`, depositAddress, ...partial });
  });
  await Promise.all(quotes.map((quote) => store.add(quote)));
  return quotes;
}

async function one(partial: Partial<RelayQuote> = {}): Promise<RelayQuote> {
  const [quote] = await added(1, partial);
  if (quote === undefined) throw new Error('no quote');
  return quote;
}

/** Tiny deposits on a quote's address, all refunded and changed after all other rows. */
function dust(quote: RelayQuote, count: number, partial: Json = {}): Json[] {
  const at = new Date(QUOTED_AT.getTime() + 3_600_000).toISOString();
  return Array.from({ length: count }, (_, n) =>
    relayRow(
      quote,
      {
        id: `dust-${quote.quoteId}-${n}`,
        status: 'refund',
        depositAddress: paidAddress(quote, `0xdust${n}`),
        createdAt: at,
        updatedAt: at,
        ...partial,
      },
      { failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' },
    ),
  );
}

function sources(some: Partial<StatusSources>): StatusSources {
  return {
    queries: new StatusQueries(api),
    store,
    clock,
    ...some,
  };
}

async function read(
  quoteIds: readonly string[],
  from: Pick<RelayStore, 'find'> = store,
  noteExtra: (requests: number) => void = () => undefined,
): Promise<Map<string, StatusAnswer>> {
  const answers = new Map<string, StatusAnswer>();
  const noteAnswer = (quoteId: string, answer: StatusAnswer): void => {
    expect(answers.has(quoteId)).toBe(false);
    answers.set(quoteId, answer);
  };
  noteExtra(await readStatuses(sources({ store: from }), quoteIds, noteAnswer));
  expect([...answers.keys()].sort()).toEqual([...new Set(quoteIds)].sort());
  return answers;
}

/** The reported status of each quote, or the kind of its answer. */
async function standing(quotes: readonly RelayQuote[]): Promise<(string | null)[]> {
  const answers = await read(quotes.map(({ quoteId }) => quoteId));
  return quotes.map(({ quoteId }) => {
    const answer = answers.get(quoteId);
    return answer?.kind === 'report' ? answer.report.status : (answer?.kind ?? null);
  });
}

describe("Relay's statuses", () => {
  it('are asked for many payments at once, and each gets its own', async () => {
    const quotes = await added(4);
    const [waiting, paid, done] = quotes as [RelayQuote, RelayQuote, RelayQuote];
    rows = [
      relayRow(waiting),
      relayRow(paid, { status: 'submitted' }),
      relayRow(done, { status: 'success' }),
    ];
    expect(await standing(quotes)).toEqual([
      'AWAITING_DEPOSIT',
      'EXECUTING',
      'COMPLETED',
      'AWAITING_DEPOSIT',
    ]);
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests as [ReceivedRequest];
    expect(request.path).toMatch(/^\/requests\/v3\?/);
    expect(Object.fromEntries(questionOf(request).query)).toEqual({
      filters: JSON.stringify([{ depositAddress: quotes.map(({ depositAddress }) => depositAddress) }]),
      sortBy: 'updatedAt',
      sortDirection: 'desc',
      limit: '50',
    });
  });

  it('are read with one statement, and one request for each forty addresses', async () => {
    const quotes = await added(95);
    let statements = 0;
    const counting = {
      find: (ids: readonly string[]) => {
        statements += 1;
        return store.find(ids);
      },
    };
    await read(
      quotes.map(({ quoteId }) => quoteId),
      counting,
    );
    expect([statements, BATCH_SIZE]).toEqual([1, MAX_ADDRESSES]);
    expect(server.requests.map((request) => questionOf(request).addresses.length)).toEqual([40, 40, 15]);
  });

  it('refuse ids that are not ours, without a question', async () => {
    const unknown = randomUUID();
    const answers = await read([unknown, '../etc', 'a\u0000b', unknown]);
    for (const answer of answers.values()) expect(answer).toMatchObject({ kind: 'refused', httpStatus: 404 });
    await read([]);
    expect([answers.size, server.requests.length]).toEqual([3, 0]);
  });

  it('match EVM addresses in any letters, and others only as they are', async () => {
    const evm = await one({ depositAddress: '0xABCDEF0000000000000000000000000000000001' });
    const solana = await one({ depositAddress: '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2' });
    const published = [evm, solana].map((quote) =>
      relayRow(
        { ...quote, depositAddress: quote.depositAddress.toLowerCase() },
        { id: `new-${quote.quoteId}`, status: 'success' },
      ),
    );
    server.answer(() => ({ body: JSON.stringify({ requests: published }) }));
    expect(await standing([evm, solana])).toEqual(['COMPLETED', 'AWAITING_DEPOSIT']);
  });

  it('distinguish two payments on one address by the chain that was paid on', async () => {
    const { from } = relayQuote();
    const base = await one();
    const arbitrum = await one({
      depositAddress: base.depositAddress,
      from: { ...from, chainId: ARBITRUM, chainName: 'Arbitrum' },
    });
    const paid = relayAmount('25000000', { chainId: BASE });
    rows = [relayRow(base, { id: 'quoted-anew', status: 'success' }, { route: route(paid) })];
    expect(await standing([arbitrum, base])).toEqual(['AWAITING_DEPOSIT', 'COMPLETED']);
    expect(server.requests).toHaveLength(1);
  });

  it('follow a successor on another address, before or after the row that it continues', async () => {
    const quotes = await added(2);
    const [one, two] = quotes as [RelayQuote, RelayQuote];
    const successor = (id: string): Json => relayRow(one, { id, status: 'success', depositAddress: null });
    const published = [
      successor('next-1'),
      relayRow(one, { supersededByRequestId: 'next-1' }),
      relayRow(two, { supersededByRequestId: 'next-2' }),
      successor('next-2'),
    ];
    server.answer(() => ({ body: JSON.stringify({ requests: published }) }));
    expect(await standing(quotes)).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('ask for successors that name no address by their ids, all together', async () => {
    const quotes = await added(4);
    const [first, second, third, fourth] = quotes as [RelayQuote, RelayQuote, RelayQuote, RelayQuote];
    rows = [
      relayRow(first, { status: 'failure', supersededByRequestId: 'next-1' }),
      unaddressed(first, 'next-1', 'pending', { supersededByRequestId: 'last' }),
      unaddressed(first, 'last', 'success'),
      relayRow(second, { status: 'waiting', supersededByRequestId: 'next-2' }),
      unaddressed(second, 'next-2', 'refund'),
      relayRow(third, { status: 'success', supersededByRequestId: 'of what is paid' }),
      relayRow(fourth, { status: 'pending', supersededByRequestId: third.requestId }),
    ];
    const extra: number[] = [];
    const ids = quotes.map(({ quoteId }) => quoteId);
    const answers = await read(ids, store, (count) => void extra.push(count));
    const words = ids.map((id) => wordOf(answers.get(id) as StatusAnswer));
    expect(words).toEqual(['COMPLETED', 'FAILED', 'COMPLETED', 'DEPOSIT_RECEIVED']);
    const asked = server.requests.map((request) => questionOf(request).ids);
    expect(asked).toEqual([[], ['next-1', 'next-2'], ['last']]);
    expect(extra).toEqual([2]);
  });

  it('hand over what needs no successor before they ask for any, and let none of those spoil another', async () => {
    const quotes = await added(9);
    const [plain, ...continued] = quotes as [RelayQuote, ...RelayQuote[]];
    rows = [
      relayRow(plain, { status: 'success' }),
      ...continued.flatMap((quote, index) => [
        relayRow(quote, { status: 'waiting', supersededByRequestId: `next-${index}` }),
        unaddressed(quote, `next-${index}`, 'success'),
      ]),
    ];
    const published = new Map<string, string>();
    let toldBefore = 0;
    server.answer((request) => {
      const { ids, query } = questionOf(request);
      if (ids.length === 0) return answerByRows(request);
      toldBefore ||= published.size;
      if (query.get('filters') !== null || ids.includes('next-0')) return { status: 400 };
      return ids.includes('next-1') ? { status: 401 } : answerByRows(request);
    });
    const questions = new StatusQueries(api);
    const round = async (): Promise<string[]> => {
      published.clear();
      const ids = quotes.map(({ quoteId }) => quoteId);
      await readStatuses(sources({ queries: questions }), ids, (id, answer) =>
        published.set(id, wordOf(answer)),
      );
      return ids.map((id) => published.get(id) ?? '');
    };
    // Each form of a query is tried once: afterwards each id has a query of its own.
    expect(await round()).toEqual(['COMPLETED', ...continued.map(() => 'unavailable')]);
    expect(toldBefore).toBe(1);
    const before = server.requests.length;
    const words = ['unavailable', 'unavailable', 'COMPLETED', 'COMPLETED', 'COMPLETED'];
    const later = await round();
    expect(later.slice(0, 6)).toEqual(['COMPLETED', ...words]);
    expect(later).not.toContain('AWAITING_DEPOSIT');
    expect(server.requests.length - before).toBeLessThanOrEqual(1 + 3 * 5);
  });

  it('are not done with a crumb while the payment itself has a successor', async () => {
    const quote = await one();
    const short = relayAmount('1000000');
    rows = [
      relayRow(quote, { id: 'crumb', status: 'success' }, { route: route(short) }),
      relayRow(quote, { status: 'pending', supersededByRequestId: 'whole' }),
      unaddressed(quote, 'whole', 'success', {}, { route: route(relayAmount('25000000')) }),
    ];
    const answer = (await read([quote.quoteId])).get(quote.quoteId);
    expect(answer?.kind === 'report' && JSON.parse(answer.report.text)).toMatchObject({
      deposit: { match: 'exact' },
    });
  });

  it('stop asking in a circle', async () => {
    const quote = await one();
    rows = [
      relayRow(quote, { status: 'pending', supersededByRequestId: 'circle' }),
      unaddressed(quote, 'circle', 'pending', { supersededByRequestId: quote.requestId }),
    ];
    expect(await standing([quote])).toEqual(['DEPOSIT_RECEIVED']);
    expect(server.requests).toHaveLength(2);
  });

  it('call no payment unpaid that is paid on a later page, also where pages are not full', async () => {
    const quotes = await added(3);
    const pages = quotes.map((quote) => relayRow(quote, { status: 'success' }));
    server.answer((request) => {
      const index = questionOf(request).from;
      const next = index < 2 ? { continuation: `page+${index + 1}/&` } : {};
      return { body: JSON.stringify({ requests: [pages[index]], ...next }) };
    });
    expect(await standing(quotes)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(server.requests).toHaveLength(3);
  });

  it('end with an empty page, whatever it says of a next one', async () => {
    const [quote] = await added(1);
    server.answer(() => ({ body: JSON.stringify({ requests: [], continuation: 'more' }) }));
    expect(await standing([quote as RelayQuote])).toEqual(['AWAITING_DEPOSIT']);
    expect(server.requests).toHaveLength(1);
  });

  it('take no delivery for the payment that was made on its address before the quote', async () => {
    const quote = await one();
    const made = (id: string, beforeMs: number): Json => {
      const at = new Date(QUOTED_AT.getTime() - beforeMs).toISOString();
      return relayRow(quote, { id, status: 'success', createdAt: at, updatedAt: at });
    };
    rows = [made('of-last-year', 86_400_000)];
    expect(await standing([quote])).toEqual(['AWAITING_DEPOSIT']);
    // Clocks differ: a request that Relay made just after the quote may look older.
    rows = [made('of-last-year', 86_400_000), made('quoted-anew', 60_000)];
    expect(await standing([quote])).toEqual(['COMPLETED']);
  });

  it('report what was paid on another chain, unless another payment has the address there', async () => {
    const { from } = relayQuote();
    const paid = route(relayAmount('25000000', { chainId: ARBITRUM }));
    const rowOf = (quote: RelayQuote, status: string): Json =>
      relayRow(quote, { id: `new-${quote.quoteId}`, status }, { route: paid });
    const [alone, shared] = (await added(2)) as [RelayQuote, RelayQuote];
    await one({ depositAddress: shared.depositAddress, from: { ...from, chainId: ARBITRUM } });
    rows = [rowOf(alone, 'refund'), rowOf(shared, 'success')];
    expect(await standing([alone, shared])).toEqual(['FAILED', 'AWAITING_DEPOSIT']);
    rows = [rowOf(alone, 'success'), rowOf(shared, 'success')];
    expect(await standing([alone, shared])).toEqual(['COMPLETED', 'AWAITING_DEPOSIT']);
  });

  it('count the requests that came on top of one for each batch, and of those that were not needed', async () => {
    const quotes = await added(MAX_ADDRESSES + 1);
    const published: number[] = [];
    const ids = quotes.map(({ quoteId }) => quoteId);
    await read(ids, store, (requests) => published.push(requests));
    expect(published).toEqual([0]);
    rows = dust(quotes[0] as RelayQuote, 60);
    server.requests.length = 0;
    await read(ids, store, (requests) => published.push(requests));
    expect([server.requests.length, published]).toEqual([3, [0, 1]]);
    await read([randomUUID()], store, (requests) => published.push(requests));
    expect([server.requests.length, published]).toEqual([3, [0, 1, -1]]);
  });

  it('call no quote EXPIRED that had not expired when Relay was asked', async () => {
    const quote = await one();
    server.answer((request) => {
      now = new Date(quote.expiresAt.getTime() + 3_600_000);
      return answerByRows(request);
    });
    expect(await standing([quote])).toEqual(['AWAITING_DEPOSIT']);
    expect(await standing([quote])).toEqual(['EXPIRED']);
  });

  it('are not moved by rows of addresses that are none of ours', async () => {
    const quote = await one();
    const foreign = relayRow(relayQuote({ requestId: 'foreign', depositAddress: evmAddress(1) }), {
      status: 'success',
    });
    server.answer(() => ({ body: JSON.stringify({ requests: [foreign] }) }));
    expect(await standing([quote])).toEqual(['AWAITING_DEPOSIT']);
  });

  it.each([null, '', 'N/A', 7, ['success']])('take a row whose word is %j for no answer', async (status) => {
    const [clear, wordless] = (await added(2)) as [RelayQuote, RelayQuote];
    const without = relayRow(wordless, { status, depositAddress: paidAddress(wordless) });
    const requests = [relayRow(clear, { status: 'submitted' }), without];
    server.answer(() => ({ body: JSON.stringify({ requests }) }));
    expect(await standing([clear, wordless])).toEqual(['EXECUTING', 'unavailable']);
    const delivered = relayRow(wordless, { id: 'another', status: 'success' });
    server.answer(() => ({ body: JSON.stringify({ requests: [...requests, delivered] }) }));
    expect(await standing([clear, wordless])).toEqual(['EXECUTING', 'COMPLETED']);
  });

  it('never call a payment unpaid while a row cannot be read', async () => {
    const [clear, hidden] = (await added(2)) as [RelayQuote, RelayQuote];
    const unread = [
      { status: 'success' },
      'nonsense',
      relayRow(hidden, { id: 'no-address', depositAddress: null }),
    ];
    for (const row of unread) {
      const requests = [relayRow(clear, { status: 'submitted' }), row];
      server.answer(() => ({ body: JSON.stringify({ requests }) }));
      expect(await standing([clear, hidden])).toEqual(['EXECUTING', 'unavailable']);
    }
  });
});

describe('when Relay does not answer as it should', () => {
  const table: [string, ScriptedAnswer, StatusAnswer][] = [
    ['429', { status: 429 }, unavailable('status 429', 429, 7_000)],
    ['502', { status: 502, body: '<html>' }, unavailable('status 502', 502)],
    ['a wrong key', { status: 401 }, { kind: 'credentials' }],
    ['a filter it does not know', { status: 400 }, unavailable('status 400', 400)],
    ['JSON without requests', { body: '{"ok":true}' }, unavailable('unreadable answer', 200)],
    ['requests that are no list', { body: '{"requests":{}}' }, unavailable('unreadable answer', 200)],
    ['null', { body: 'null' }, unavailable('unreadable answer', 200)],
  ];
  it.each(table)('%s is the answer for every payment of the batch', async (_name, scripted, expected) => {
    const quotes = await added(3);
    server.answer(() => scripted);
    const unknown = randomUUID();
    const answers = await read([...quotes.map(({ quoteId }) => quoteId), unknown]);
    for (const { quoteId } of quotes) expect(answers.get(quoteId)).toEqual(expected);
    expect(answers.get(unknown)).toMatchObject({ kind: 'refused' });
    // A refusal may be about the form of the query: the adapter tries the other forms too.
    expect(server.requests).toHaveLength(scripted.status === 400 ? 3 : 1);
  });

  it.each([
    ['groups', 1, (query: URLSearchParams) => query.get('filters')?.includes('"depositAddress":[') === true],
    ['one by one', 3, (query: URLSearchParams) => query.has('filters')],
  ])(
    'a list of addresses that it refuses is asked as %s, and not tried again soon',
    async (_name, each, isRefused) => {
      const quotes = await added(3);
      const [first, second] = quotes;
      if (first === undefined || second === undefined) throw new Error('no quotes');
      rows = [relayRow(first, { status: 'submitted' }), relayRow(second, { status: 'success' })];
      server.answer((request) => (isRefused(queryOf(request)) ? { status: 400 } : answerByRows(request)));
      const questions = new StatusQueries(api);
      for (const refusals of [each === 1 ? 1 : 2, 0]) {
        const before = server.requests.length;
        const published = new Map<string, string>();
        const extra = await readStatuses(
          sources({ queries: questions }),
          quotes.map(({ quoteId }) => quoteId),
          (quoteId, answer) => published.set(quoteId, wordOf(answer)),
        );
        expect(quotes.map(({ quoteId }) => published.get(quoteId))).toEqual([
          'EXECUTING',
          'COMPLETED',
          'AWAITING_DEPOSIT',
        ]);
        const asked = refusals + each;
        expect(server.requests.length - before).toBe(asked);
        expect(extra).toBe(asked - 1);
      }
    },
  );

  it('a batch that fails leaves the others', async () => {
    const quotes = await added(2 * MAX_ADDRESSES);
    server.answer((request) => (server.requests.length === 1 ? { status: 503 } : answerByRows(request)));
    const published = await standing(quotes);
    expect(published.filter((status) => status === 'unavailable')).toHaveLength(MAX_ADDRESSES);
    expect(published.filter((status) => status === 'AWAITING_DEPOSIT')).toHaveLength(MAX_ADDRESSES);
  });

  it('a database that is away is no fault of the payment, and asks nobody', async () => {
    const away = { find: () => Promise.reject(new StoreUnavailable()) };
    const answers = await read(['a', 'b'], away);
    expect([...answers.values()]).toEqual([unavailable('database', null), unavailable('database', null)]);
    expect(server.requests).toHaveLength(0);
  });
});

describe('whoever floods an address with crumbs', () => {
  it('fills all the pages, and still hides no other payment', async () => {
    const quotes = await added(MAX_ADDRESSES);
    const [flooded, paid, done, ...unpaid] = quotes as [RelayQuote, RelayQuote, RelayQuote, ...RelayQuote[]];
    rows = [
      ...dust(flooded, 1_000),
      relayRow(paid, { status: 'submitted' }),
      relayRow(done, { status: 'refund' }),
    ];
    expect(await standing(quotes)).toEqual([
      'FAILED',
      'EXECUTING',
      'FAILED',
      ...unpaid.map(() => 'AWAITING_DEPOSIT'),
    ]);
    expect(server.requests.length).toBeLessThanOrEqual(MAX_REQUESTS_A_BATCH);
    const again = server.requests.map((request) => questionOf(request).addresses.length);
    expect(again).toEqual([40, 40, 40, 39, 1]);
  });

  it.each([
    ['pending', 'DEPOSIT_RECEIVED'],
    ['success', 'COMPLETED'],
  ])('does not bury the payment that is %s on that very address', async (status, expected) => {
    const [flooded, other] = (await added(2)) as [RelayQuote, RelayQuote];
    rows = [
      ...dust(flooded, 1_000),
      relayRow(flooded, { id: 'the-payers', status, depositAddress: paidAddress(flooded) }),
    ];
    expect(await standing([flooded, other])).toEqual([expected, 'AWAITING_DEPOSIT']);
  });

  it('on many addresses hides no payment that is made, and calls none unpaid that it keeps from being read', async () => {
    const quotes = await added(MAX_ADDRESSES);
    const [flooded, paid, rest] = [quotes.slice(0, 10), quotes.slice(10, 20), quotes.slice(20)];
    rows = flooded.flatMap((quote, n) =>
      dust(quote, 200, { updatedAt: new Date(QUOTED_AT.getTime() + (n + 2) * 3_600_000).toISOString() }),
    );
    rows.push(...paid.map((quote) => relayRow(quote, { status: 'pending' })));
    rows.push(...rest.map((quote) => relayRow(quote, { status: 'waiting' })));
    const answers = await read(quotes.map(({ quoteId }) => quoteId));
    const published = [flooded, paid, rest].map((group) => {
      const kinds = group.map(({ quoteId }) => answers.get(quoteId));
      return [...new Set(kinds.map((answer) => (answer?.kind === 'report' ? answer.report.status : answer)))];
    });
    const unread = unavailable('more deposits than can be read', 200);
    expect(published).toEqual([[unread, 'FAILED'], ['DEPOSIT_RECEIVED'], [unread]]);
    expect(server.requests.length).toBeLessThanOrEqual(MAX_REQUESTS_A_BATCH);
  });

  it('with payments that seem alive leaves that address unread', async () => {
    const [flooded, other] = (await added(2)) as [RelayQuote, RelayQuote];
    rows = dust(flooded, 1_000, { status: 'pending' });
    expect(await standing([flooded, other])).toEqual(['unavailable', 'AWAITING_DEPOSIT']);
  });

  it('cannot undo a success that was seen, nor make Relay be asked on after it complains', async () => {
    const [done, flooded, other] = (await added(3)) as [RelayQuote, RelayQuote, RelayQuote];
    const newest = new Date(QUOTED_AT.getTime() + 9_000_000).toISOString();
    rows = [relayRow(done, { status: 'success', updatedAt: newest }), ...dust(flooded, 1_000)];
    server.answer((request) => (server.requests.length > 2 ? { status: 429 } : answerByRows(request)));
    expect(await standing([done, flooded, other])).toEqual(['COMPLETED', 'unavailable', 'unavailable']);
    expect(server.requests).toHaveLength(3);
  });

  it('gains nothing where Relay ignores what it is asked', async () => {
    const quotes = await added(2);
    const foreign = dust(relayQuote({ quoteId: 'foreign', depositAddress: evmAddress(2) }), 50);
    server.answer(() => ({ body: JSON.stringify({ requests: foreign, continuation: 'more' }) }));
    expect(await standing(quotes)).toEqual(['unavailable', 'unavailable']);
    expect(server.requests.length).toBeLessThanOrEqual(MAX_REQUESTS_A_BATCH / 2);
  });
});
