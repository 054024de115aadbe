import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { STATUSES, type Status } from '../../src/domain/payment/status.ts';
import { LIST_SORTS } from '../../src/ports/list-sort.ts';
import type { PaymentFilter } from '../../src/ports/payments.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';
import type { PaymentsOfSuite } from '../support/leasing-stores.ts';
import { reportOf } from '../support/poll-results.ts';

/** What no report of this suite brings about. */
interface Flags {
  readonly late: boolean;
  readonly isStalled: boolean;
  readonly isClosed: boolean;
  readonly anomaly: boolean;
  readonly delivery: (typeof DELIVERIES)[number];
}

interface World {
  readonly payments: PaymentsOfSuite;
  set(quoteId: string, flags: Flags): Promise<void>;
}

/** Of a payment: none, or one that has come to this. */
const DELIVERIES = ['none', 'delivered', 'not tried', 'failed once', 'given up', 'of a deleted one'] as const;
const UNDELIVERED: ReadonlySet<string> = new Set([
  'not tried',
  'failed once',
  'given up',
  'of a deleted one',
]);

async function openMemory(): Promise<World> {
  const clock = new FakeClock();
  const payments = new FakePayments(clock);
  return {
    payments,
    set: async (quoteId, { late, isStalled, isClosed, anomaly, delivery }) => {
      const row = payments.rows.get(quoteId);
      if (row === undefined) throw new Error(`no payment ${quoteId}`);
      const [stalls, tracking] = [isStalled ? ['no_progress'] : [], isClosed ? 'closed' : 'active'];
      const contradictions = anomaly ? ['unknown_status:PAUSED'] : [];
      row.payment = { ...row.payment, ...({ late, stalls, tracking, contradictions } as object) };
      if (UNDELIVERED.has(delivery)) payments.undelivered.add(quoteId);
      clock.advance(1_000);
    },
  };
}

async function openPostgres(): Promise<World> {
  const { db, one } = await openReplicas();
  for (const name of PROVIDERS) await db.query('SELECT add_provider($1)', [name]);
  const present = await addDestination(db, { enabled: false });
  return {
    payments: one.payments,
    set: async (quoteId, { late, isStalled, isClosed, anomaly, delivery }) => {
      await db.query(
        `UPDATE payment SET late = $2, stalls = $3, tracking = $4, contradictions = $5 WHERE quote_id = $1`,
        [
          quoteId,
          late,
          isStalled ? ['no_progress'] : [],
          isClosed ? 'closed' : 'active',
          anomaly ? ['unknown_status:PAUSED'] : [],
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
    },
  };
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
];
const ORDERS = [null, 'A-1', 'A-2'];
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
  provider: fc.constantFrom(...PROVIDERS),
  /** Tracked by its status alone. */
  isQuoted: fc.boolean(),
  isReported: fc.boolean(),
  status: fc.constantFrom(...STATUSES),
  isResolved: fc.boolean(),
  late: fc.boolean(),
  isStalled: fc.boolean(),
  isClosed: fc.boolean(),
  anomaly: fc.boolean(),
  delivery: fc.constantFrom(...DELIVERIES),
});
type Made = typeof made extends fc.Arbitrary<infer Each> ? Each : never;

interface Known extends Made {
  readonly quoteId: string;
  readonly createdAt: Date;
}

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });
const flag = maybe(fc.boolean());
const chains = [...CHAINS.flatMap(({ id, name }) => [String(id), name, name.toUpperCase()]), '1', 'Bas'];
const tokens = [
  ...TOKENS.flatMap(({ symbol, address }) => [symbol, symbol.toLowerCase(), address]),
  TOKENS[1].address.toLowerCase(),
  TOKENS[3].address.toLowerCase(),
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914',
  'US',
];

const asked = fc.record({
  statuses: maybe(fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 4 })),
  providers: maybe(fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1 })),
  orderId: maybe(fc.constantFrom('A-1', 'A-2', 'A-3')),
  search: maybe(fc.constantFrom(...RECIPIENTS)),
  late: flag,
  stalled: flag,
  anomaly: flag,
  undelivered: flag,
  resolved: flag,
  chain: maybe(fc.constantFrom(...chains)),
  token: maybe(fc.constantFrom(...tokens)),
  after: maybe(fc.nat(STORED - 1)),
  before: maybe(fc.nat(STORED - 1)),
  sort: maybe(fc.constantFrom(...LIST_SORTS)),
  limit: fc.constantFrom(3, 11, 60),
});
type Asked = typeof asked extends fc.Arbitrary<infer Each> ? Each : never;

const lower = (text: string): string => text.toLowerCase();

/** The symbols are in the quote alone. An EVM address is the same in any case. */
function isOfToken({ isQuoted, fromToken, toToken }: Known, token: string): boolean {
  return [fromToken, toToken].some(
    ({ symbol, address }) =>
      (isQuoted && lower(symbol) === lower(token)) ||
      (address.startsWith('0x') ? lower(address) === lower(token) : address === token),
  );
}

function isAskedFor(payment: Known, all: readonly Known[], filter: Asked): boolean {
  const { statuses, providers, orderId, search, chain, token, after, before } = filter;
  const is = {
    late: payment.late,
    stalled: payment.isStalled && !payment.isClosed,
    anomaly: payment.anomaly,
    undelivered: UNDELIVERED.has(payment.delivery) && !payment.isResolved,
    resolved: payment.isResolved,
  };
  const flags = Object.keys(is) as (keyof typeof is)[];
  const isOfChain = (id: string): boolean =>
    [payment.from, payment.to].some((each) => String(each.id) === id || lower(each.name) === lower(id));
  return (
    flags.every((name) => filter[name] === undefined || filter[name] === is[name]) &&
    (statuses === undefined || statuses.includes(payment.status)) &&
    (providers === undefined || providers.includes(payment.provider)) &&
    (orderId === undefined || payment.orderId === orderId) &&
    (search === undefined || payment.recipient === search) &&
    (chain === undefined || isOfChain(chain)) &&
    (token === undefined || isOfToken(payment, token)) &&
    (after === undefined || payment.createdAt >= (all[after] as Known).createdAt) &&
    (before === undefined || payment.createdAt < (all[before] as Known).createdAt)
  );
}

describe.each([
  { name: 'in memory', open: openMemory },
  { name: 'in PostgreSQL', open: openPostgres },
])('the filters of payments $name', ({ open }) => {
  let world: World;
  let all: Known[];

  beforeAll(async () => {
    world = await open();
    all = [];
    for (const each of fc.sample(made, { numRuns: STORED, seed: 15 })) all.push(await add(each));
  });

  async function add(given: Made): Promise<Known> {
    const quoteId = randomUUID();
    const isReported = given.isReported || !given.isQuoted;
    const status: Status = isReported ? given.status : 'AWAITING_DEPOSIT';
    const { from, to, fromToken, toToken, recipient } = given;
    const quote = {
      quoteId,
      send: { chain: from, token: fromToken, amount: '1.5' },
      receive: { chain: to, token: toToken },
      recipient,
    };
    const route = {
      from: { chainId: from.id, chainName: from.name, token: fromToken.address },
      to: { chainId: to.id, chainName: to.name, token: toToken.address },
      recipient,
    };
    const text = JSON.stringify({ quoteId, status, route });
    await world.payments.add(
      paymentToAdd(quoteId, {
        provider: given.provider,
        orderId: given.orderId,
        quoteText: given.isQuoted ? JSON.stringify(quote) : null,
        report: isReported ? reportOf(text) : null,
      }),
    );
    const settlement = { reason: 'refunded', note: null, by: 'anna' } as const;
    if (given.isResolved) await world.payments.resolve(quoteId, settlement);
    await world.set(quoteId, given);
    const { createdAt = new Date(Number.NaN) } = (await world.payments.find(quoteId)) ?? {};
    return { ...given, quoteId, status, createdAt };
  }

  /** Every page in turn: one may be empty before the last. */
  async function listed(filter: PaymentFilter): Promise<string[]> {
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await world.payments.list({ ...filter, ...(cursor === null ? {} : { cursor }) });
      expect(page.payments.length).toBeLessThanOrEqual(filter.limit);
      read.push(...page.payments.map(({ quoteId }) => quoteId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return read;
  }

  function filterOf({ after, before, limit, ...given }: Asked): PaymentFilter {
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    return {
      ...Object.fromEntries(set),
      ...(after === undefined ? {} : { createdAfter: (all[after] as Known).createdAt }),
      ...(before === undefined ? {} : { createdBefore: (all[before] as Known).createdAt }),
      limit,
    };
  }

  it('find alone and together what a plain comparison finds, newest or oldest first, over all pages, and count it', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (filter) => {
        const expected = all.filter((each) => isAskedFor(each, all, filter)).map(({ quoteId }) => quoteId);
        expect(await listed(filterOf(filter))).toEqual(
          filter.sort === 'oldest' ? expected : expected.reverse(),
        );
        const { sort: _sort, limit: _limit, ...conditions } = filterOf(filter);
        expect(await world.payments.count(conditions)).toEqual({ count: expected.length, isMore: false });
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
