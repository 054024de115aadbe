import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { MATCHES } from '../../src/domain/payment/amounts.ts';
import { hasToken, isOnChain, readRoute } from '../../src/domain/payment/route.ts';
import { isFound, readSearch } from '../../src/domain/payment/search.ts';
import { STATUSES, type Status } from '../../src/domain/payment/status.ts';
import { LIST_SORTS } from '../../src/ports/list-sort.ts';
import type { PaymentFilter } from '../../src/ports/payments.ts';
import type { TestDatabase } from '../support/database.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';
import type { PaymentsOfSuite } from '../support/leasing-stores.ts';
import { reportOf } from '../support/poll-results.ts';

/** The deliveries of a payment: none, or one in this state. */
const DELIVERIES = ['none', 'delivered', 'not tried', 'failed once', 'given up', 'of a deleted one'] as const;
const UNDELIVERED: ReadonlySet<string> = new Set([
  'not tried',
  'failed once',
  'given up',
  'of a deleted one',
]);

let db: TestDatabase;
let payments: PaymentsOfSuite;
let present: string;

/** Sets columns to values that no report of this suite causes. */
async function set(quoteId: string, given: Made): Promise<void> {
  const { late, isStalled, isClosed, anomaly, match, delivery } = given;
  await db.query(
    `UPDATE payment SET late = $2, stalls = $3, tracking = $4, contradictions = $5, match = $6 WHERE quote_id = $1`,
    [
      quoteId,
      late,
      isStalled ? ['no_progress'] : [],
      isClosed ? 'closed' : 'active',
      anomaly ? ['unknown_status:PAUSED'] : [],
      match,
    ],
  );
  if (delivery === 'none') return;
  const isGivenUp = delivery === 'given up' || delivery === 'of a deleted one';
  const state = isGivenUp ? 'failed' : delivery === 'delivered' ? 'delivered' : 'pending';
  await db.query(
    `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, attempts, last_failure,
       created_at)
     SELECT $2, p.id, e.position, 1, $3, 'head', $4, $5, now() - interval '31 s' FROM payment p JOIN event e ON e.payment_id = p.id
     WHERE p.quote_id = $1 AND e.sequence = 1`,
    [
      quoteId,
      delivery === 'of a deleted one' ? randomUUID() : present,
      state,
      delivery === 'not tried' ? 0 : 1,
      delivery === 'failed once' || isGivenUp ? 'timeout' : null,
    ],
  );
}

const CHAINS = [
  { id: 8453, name: 'Base' },
  { id: 42161, name: 'Arbitrum One' },
  { id: 792703809, name: 'Solana' },
] as const;
const TOKENS = [
  { symbol: 'ETH', address: '0x0000000000000000000000000000000000000000' },
  { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  { symbol: 'SOL', address: '11111111111111111111111111111111' },
  { symbol: 'USDT', address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' },
] as const;
const RECIPIENTS = [
  '0x2000000000000000000000000000000000000026',
  '0x3000000000000000000000000000000000000037',
  '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
] as const;
const ORDERS = [null, 'A-1', 'A-2', 'Ünï-1', 'STRASSE-2', 'Straße-1', 'İzmir', 'ISI', 'ΟΔΟΣ', 'Заказ-7'];
/** The sent and the received amount; as a number, the first amount would lose its last digit. */
const AMOUNTS = ['1.040000000000000001', '1.04', '12.50', '1250'] as const;
const PROVIDERS = ['http', 'relay', 'oneclick'] as const;
const STORED = 70;

/** A payment as this test makes it. */
const made = fc.record({
  from: fc.constantFrom(...CHAINS),
  to: fc.constantFrom(...CHAINS),
  fromToken: fc.constantFrom(...TOKENS),
  toToken: fc.constantFrom(...TOKENS),
  recipient: fc.constantFrom(...RECIPIENTS),
  orderId: fc.constantFrom(...ORDERS),
  amount: fc.constantFrom(...AMOUNTS),
  received: fc.constantFrom(...AMOUNTS),
  provider: fc.constantFrom(...PROVIDERS),
  /** Tracked by its status alone. */
  isQuoted: fc.boolean(),
  isReported: fc.boolean(),
  status: fc.constantFrom(...STATUSES),
  resolution: fc.constantFrom(null, 'refunded', 'released'),
  late: fc.boolean(),
  isStalled: fc.boolean(),
  isClosed: fc.boolean(),
  anomaly: fc.boolean(),
  match: fc.constantFrom(null, ...MATCHES),
  delivery: fc.constantFrom(...DELIVERIES),
});
type Made = typeof made extends fc.Arbitrary<infer Each> ? Each : never;

interface Known extends Made {
  readonly quoteId: string;
  readonly createdAt: Date;
  readonly quoteText: string | null;
  readonly reportText: string | null;
}

const chains = [...CHAINS.flatMap(({ id, name }) => [String(id), name, name.toUpperCase()]), '1', 'Bas'];
const tokens = [
  ...TOKENS.flatMap(({ symbol, address }) => [symbol, symbol.toLowerCase(), address]),
  TOKENS[1].address.toLowerCase(),
  TOKENS[3].address.toLowerCase(),
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914',
  'US',
];

/** Whole values, their beginnings, other letter cases, and values that only look alike. */
const searches = RECIPIENTS.flatMap((each) => [
  each,
  each.slice(0, 12),
  each.toUpperCase(),
  each.toLowerCase(),
  `${each}1`,
]).concat(
  ['A-1', ' a-1 ', 'A-', '-1', 'A-11', 'COMPLETED', '0x', '%', "'"],
  [
    'ünï',
    'U\u0308NI\u0308-1',
    'strasse',
    'STRAẞE',
    'izmir',
    'İZMİR',
    'ısı',
    'isi',
    'οδό',
    'οδος',
    'οδοσ',
    'заказ',
    'ЗАКАЗ-',
  ],
  [...AMOUNTS, '1.0400', '1,250.00', '12.5', '1.05', '250', '.04'],
);

const CONDITIONS = {
  statuses: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 4 }),
  providers: fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1 }),
  orderId: fc.constantFrom('A-1', 'A-2', 'A-3'),
  search: fc.constantFrom(...searches),
  late: fc.boolean(),
  stalled: fc.boolean(),
  anomaly: fc.boolean(),
  undelivered: fc.boolean(),
  resolved: fc.boolean(),
  match: fc.constantFrom(...MATCHES),
  chain: fc.constantFrom(...chains),
  token: fc.constantFrom(...tokens),
  after: fc.nat(STORED - 1),
  before: fc.nat(STORED - 1),
};
const NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];
const conditions = fc.record(CONDITIONS);
type Conditions = typeof conditions extends fc.Arbitrary<infer Each> ? Each : never;
type Asked = Partial<Conditions> & Pick<PaymentFilter, 'limit' | 'sort'>;

const FLAGS = ['late', 'stalled', 'anomaly', 'undelivered', 'resolved'] as const;
const alone = [
  ...FLAGS.flatMap((name) => [{ [name]: true }, { [name]: false }]),
  ...MATCHES.map((match) => ({ match })),
  ...STATUSES.map((status) => ({ statuses: [status] })),
  ...PROVIDERS.map((provider) => ({ providers: [provider] })),
  ...chains.map((chain) => ({ chain })),
  ...tokens.map((token) => ({ token })),
  ...searches.map((search) => ({ search })),
].map((condition): [Asked] => [{ ...condition, limit: 60 }]);

/** Few conditions at once: all of them together would match no payment. */
const asked: fc.Arbitrary<Asked> = fc
  .record({
    all: conditions,
    names: fc.subarray(NAMES, { maxLength: 3 }),
    sort: fc.option(fc.constantFrom(...LIST_SORTS), { nil: undefined }),
    limit: fc.constantFrom(11, 60),
  })
  .map(({ all, names, sort, limit }) => ({
    ...Object.fromEntries(names.map((name) => [name, all[name]])),
    ...(sort === undefined ? {} : { sort }),
    limit,
  }));

function isAskedFor(payment: Known, all: readonly Known[], filter: Asked): boolean {
  const { statuses, providers, orderId, search, chain, token, after, before } = filter;
  const is = {
    late: payment.late,
    stalled: payment.isStalled && !payment.isClosed,
    anomaly: payment.anomaly,
    undelivered: UNDELIVERED.has(payment.delivery) && payment.resolution !== 'refunded',
    resolved: payment.resolution !== null,
  };
  const flags = Object.keys(is) as (keyof typeof is)[];
  const route = readRoute(payment);
  return (
    flags.every((name) => filter[name] === undefined || filter[name] === is[name]) &&
    (filter.match === undefined || payment.match === filter.match) &&
    (statuses === undefined || statuses.includes(payment.status)) &&
    (providers === undefined || providers.includes(payment.provider)) &&
    (orderId === undefined || payment.orderId === orderId) &&
    (search === undefined || isFound(readSearch(search), payment)) &&
    (chain === undefined || isOnChain(route, chain)) &&
    (token === undefined || hasToken(route, token)) &&
    (after === undefined || payment.createdAt >= (all[after] as Known).createdAt) &&
    (before === undefined || payment.createdAt < (all[before] as Known).createdAt)
  );
}

describe('the filters of payments', () => {
  let all: Known[];

  beforeAll(async () => {
    const { db: opened, one } = await openReplicas();
    [db, payments] = [opened, one.payments];
    for (const name of PROVIDERS) await db.query('SELECT add_provider($1)', [name]);
    present = await addDestination(db, { enabled: false });
    all = [];
    for (const each of fc.sample(made, { numRuns: STORED, seed: 15 })) all.push(await add(each));
  });

  async function add(given: Made): Promise<Known> {
    const quoteId = randomUUID();
    const isReported = given.isReported || !given.isQuoted;
    const status: Status = isReported ? given.status : 'AWAITING_DEPOSIT';
    const { from, to, fromToken, toToken, recipient } = given;
    const quote = {
      send: { chain: from, token: fromToken, amount: given.amount },
      receive: { chain: to, token: toToken, estimatedAmount: given.received },
      recipient,
    };
    const route = {
      from: { chainId: from.id, chainName: from.name, token: fromToken.address },
      to: { chainId: to.id, chainName: to.name, token: toToken.address },
      recipient,
    };
    const quoteText = given.isQuoted ? JSON.stringify(quote) : null;
    const reportText = isReported ? JSON.stringify({ status, route }) : null;
    await payments.add(
      paymentToAdd(quoteId, {
        provider: given.provider,
        orderId: given.orderId,
        quoteText,
        report: reportText === null ? null : reportOf(reportText),
      }),
    );
    const { resolution: reason } = given;
    if (reason !== null) await payments.resolve(quoteId, { reason, note: null, by: 'anna' });
    await set(quoteId, given);
    const { createdAt = new Date(Number.NaN) } = (await payments.find(quoteId)) ?? {};
    return { ...given, quoteId, status, createdAt, quoteText, reportText };
  }

  /** Reads all pages in turn: a page before the last one may be empty. */
  async function listed(filter: PaymentFilter): Promise<string[]> {
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await payments.list({ ...filter, ...(cursor === null ? {} : { cursor }) });
      expect(page.payments.length).toBeLessThanOrEqual(filter.limit);
      read.push(...page.payments.map(({ quoteId }) => quoteId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return read;
  }

  function filterOf({ after, before, ...given }: Asked): PaymentFilter {
    return {
      ...given,
      ...(after === undefined ? {} : { createdAfter: (all[after] as Known).createdAt }),
      ...(before === undefined ? {} : { createdBefore: (all[before] as Known).createdAt }),
    };
  }

  it('find each payment as it is read alone', async () => {
    const { quoteId } = all[0] as Known;
    const only = { payments: [await payments.find(quoteId)], nextCursor: null };
    expect(await payments.list({ search: quoteId.toUpperCase(), limit: 1 })).toEqual(only);
  });

  it('find alone and together what a plain comparison finds, newest or oldest first, over all pages, and count it', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (filter) => {
        const expected = all.filter((each) => isAskedFor(each, all, filter)).map(({ quoteId }) => quoteId);
        expect(await listed(filterOf(filter))).toEqual(
          filter.sort === 'oldest' ? expected : expected.reverse(),
        );
        const { sort: _sort, limit: _limit, ...counted } = filterOf(filter);
        expect(await payments.count(counted)).toEqual({ count: expected.length, isMore: false });
      }),
      { examples: alone, numRuns: alone.length + 80 },
    );
  });
});
