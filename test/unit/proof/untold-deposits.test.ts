import { describe, expect, it } from '@jest/globals';

import { newPayment, type Payment } from '../../../src/domain/payment/payment.ts';
import type { Status } from '../../../src/domain/payment/status.ts';
import { applyUnseenDeposit } from '../../../src/domain/transitions/unseen-deposit.ts';
import {
  type AddressPayment,
  noteDeposits,
  type NotedDeposit,
  unseenDeposit,
  untoldDeposits,
} from '../../../src/domain/transitions/untold-deposits.ts';
import { otherTokens, watchedDeposit } from '../../../src/domain/payment/watched-deposit.ts';
import type { WatchedDeposit } from '../../../src/domain/proof/output.ts';
import { hashOf, quoteOf, statusOf } from '../../support/proof-texts.ts';

const QUOTED_AT = new Date('2026-11-26T12:00:00Z');
const LATER = new Date('2026-11-26T13:00:00Z');
const USDT = '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58';
const NATIVE = `0x${'0'.repeat(40)}`;

/** A payment of this test, quoted like the others, of 25.1 USDC on Optimism. */
function paymentOf(id: bigint, more: Partial<AddressPayment> = {}): AddressPayment {
  const texts = { quoteText: quoteOf('q'), reportText: null };
  return {
    id,
    status: 'AWAITING_DEPOSIT',
    createdAt: QUOTED_AT,
    contradictions: [],
    isWatched: true,
    ...texts,
    ...more,
  };
}

function quoteWith(send: object): string {
  const quote = JSON.parse(quoteOf('q')) as { send: object };
  return JSON.stringify({ ...quote, send: { ...quote.send, ...send } });
}

const PAYMENT = paymentOf(2n);
const WATCHED = watchedDeposit({ ...PAYMENT, txHashes: [] }) as WatchedDeposit;
const TOKEN = WATCHED.token;

function deposit(n: number, units: number, more: Partial<NotedDeposit> = {}): NotedDeposit {
  const block = { blockNumber: n, blockHash: hashOf(900 + n), at: LATER };
  const amount = BigInt(Math.round(units * 1e6));
  return { txHash: hashOf(n), ...block, token: TOKEN, amount, notedAt: LATER, ...more };
}

/** The events that follow when all of these deposits are reported in turn: number, sum and `wrong`. */
function told(
  noted: readonly NotedDeposit[],
  { payment = PAYMENT, others = [] as readonly AddressPayment[], watched = WATCHED } = {},
): string[] {
  const fields = {
    quoteId: 'q',
    provider: 'http',
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
  };
  let after: Payment = { ...newPayment(fields, QUOTED_AT), contradictions: payment.contradictions };
  return untoldDeposits(noted, watched, payment, others).flatMap((each) => {
    const shown = unseenDeposit(each, watched, { came: 6, asked: 6 });
    const transition = applyUnseenDeposit(after, shown);
    after = transition.payment;
    return transition.events.map(({ deposit: said }) =>
      [said?.amount, 'of', said?.sum, ...(said?.wrongToken === true ? ['wrong'] : [])].join(' '),
    );
  });
}

/** Made a moment after the time of the deposit's block, whose clock may be behind. */
const NEWER = paymentOf(2n, { createdAt: new Date(LATER.getTime() + 1) });
const key = (n: number, more = ''): string => `deposit_unseen_by_provider:${hashOf(n)}${more}`;
const wrong = (n: number, token: string | null = USDT): NotedDeposit => deposit(n, 9, { token });
const reporting = (n: number): string =>
  JSON.stringify({ deposit: { txHash: hashOf(n).slice(2).toUpperCase() } });
const askingUsdt = quoteWith({ token: { address: USDT, symbol: 'USDT', decimals: 6 } });

describe('deposits that the provider has not reported', () => {
  it.each<[string, readonly NotedDeposit[], Parameters<typeof told>[1], readonly string[]]>([
    ['one', [deposit(1, 25.1)], {}, ['25.1 of 25.1']],
    ['in parts, the largest first', [deposit(1, 5), deposit(2, 12)], {}, ['12 of 17', '5 of 17']],
    [
      'of which one is told',
      [deposit(1, 5), deposit(2, 12)],
      { payment: paymentOf(2n, { contradictions: [key(1)] }) },
      ['12 of 17'],
    ],
    [
      'the amount that was asked for before a larger one',
      [deposit(1, 90), deposit(2, 26), deposit(3, 25.1)],
      {},
      ['25.1 of 141.1', '90 of 141.1', '26 of 141.1'],
    ],
    [
      'no more than five',
      [1, 2, 3, 4, 5, 6].map((n) => deposit(n, n)),
      {},
      ['6 of 21', '5 of 21', '4 of 21', '3 of 21', '2 of 21'],
    ],
    [
      'that its own report repeats, though it says that nothing came',
      [deposit(1, 25.1), deposit(2, 3)],
      { payment: paymentOf(2n, { reportText: reporting(1) }) },
      ['25.1 of 28.1', '3 of 28.1'],
    ],
    ['another token', [wrong(1)], {}, ['9 of 0 wrong']],
    ['another token beside a part', [wrong(1), deposit(2, 5)], {}, ['5 of 5', '9 of 5 wrong']],
    ['another token beside the whole', [wrong(1), deposit(2, 25.1)], {}, ['25.1 of 25.1']],
    ['other tokens, two at most', [wrong(1), wrong(2), wrong(3, null)], {}, ['9 of 0 wrong', '9 of 0 wrong']],
    [
      'another token of one transaction with the right one',
      [deposit(1, 5), wrong(1, null)],
      { payment: paymentOf(2n, { contradictions: [key(1)] }) },
      ['9 of 5 wrong'],
    ],
    [
      'another token that is told',
      [wrong(1, null)],
      { payment: paymentOf(2n, { contradictions: [key(1, ':native')] }) },
      [],
    ],
    [
      'without a known transaction',
      [deposit(1, 5, { txHash: null }), deposit(2, 6, { txHash: null })],
      {},
      ['6 of 11', '5 of 11'],
    ],
  ])('are told: %s', (_, noted, facts, events) => {
    expect(told(noted, facts)).toEqual(events);
  });

  const named = { ...WATCHED, txHashes: [hashOf(1).toUpperCase().replace('0X', '0x')] };
  it.each<
    [
      string,
      Partial<AddressPayment> & { id: bigint },
      boolean,
      { watched?: WatchedDeposit; payment?: AddressPayment; token?: string }?,
    ]
  >([
    ['reports it', { id: 1n, status: 'COMPLETED', reportText: reporting(1) }, false],
    [
      'reports it, on another chain',
      { id: 1n, status: 'COMPLETED', reportText: reporting(1), quoteText: quoteWith({ chain: { id: 1 } }) },
      true,
    ],
    [
      'reports it, at another address',
      {
        id: 1n,
        status: 'COMPLETED',
        reportText: reporting(1),
        quoteText: quoteWith({ depositAddress: NATIVE }),
      },
      true,
    ],
    ['reports another one', { id: 1n, status: 'COMPLETED', reportText: reporting(7) }, true],
    ['was told of it', { id: 1n, contradictions: [key(1)] }, false],
    ['was told of it as of another token', { id: 1n, contradictions: [key(1, `:${TOKEN}`)] }, false],
    ['was told of another one', { id: 1n, contradictions: [key(7)] }, true],
    ['is older, and unpaid too', { id: 1n }, true],
    ['is newer, and unpaid too', { id: 3n }, false],
    ['is newer, and paid', { id: 3n, status: 'COMPLETED' }, true],
    ['is older, while this one is newer than the deposit', { id: 1n }, false, { payment: NEWER }],
    ['is as old, and no longer watched', { id: 1n, isWatched: false }, true, { payment: NEWER }],
    [
      'is newer than the deposit, as this one is',
      { id: 3n, createdAt: NEWER.createdAt },
      false,
      { payment: NEWER },
    ],
    ['is newer than the deposit', { id: 3n, createdAt: new Date(LATER.getTime() + 1) }, true],
    ['is newer, while this payer named it', { id: 3n }, true, { watched: named }],
    ['is newer, and asks for another token', { id: 3n, quoteText: askingUsdt }, true],
    ['is older, and asks for the token that came', { id: 1n, quoteText: askingUsdt }, false, { token: USDT }],
  ])(
    'are this payment’s, or not, where another payment of the address %s',
    (_, other, isTold, { token = TOKEN, ...facts } = {}) => {
      const others = [paymentOf(other.id, other)];
      expect(told([deposit(1, 5, { token })], { others, ...facts })).toHaveLength(isTold ? 1 : 0);
    },
  );

  it.each<[Status, number]>([
    ['EXPIRED', 1],
    ['DEPOSIT_RECEIVED', 0],
    ['FAILED', 0],
  ])('of a payment that is %s make %d events', (status, count) => {
    const fields = {
      quoteId: 'q',
      provider: 'http',
      orderId: null,
      metadata: null,
      expiresAt: null,
      expectedMs: null,
    };
    const shown = unseenDeposit({ ...deposit(1, 5), wrongToken: false, sum: 5n }, WATCHED, {
      came: null,
      asked: null,
    });
    const { events } = applyUnseenDeposit({ ...newPayment(fields, QUOTED_AT), status }, shown);
    expect(events).toHaveLength(count);
    expect(shown).toMatchObject({ amount: null, amountRaw: '5000000', sum: null, sumRaw: '5' });
  });

  it('stay noted since they were first found, also where an RPC shows them no more', () => {
    const [first] = noteDeposits([], [deposit(1, 5)], WATCHED, QUOTED_AT);
    const noted = noteDeposits([first as NotedDeposit], [deposit(1, 5), deposit(2, 6)], WATCHED, LATER);
    expect(noted.map(({ notedAt }) => notedAt)).toEqual([QUOTED_AT, LATER]);
    expect(noteDeposits(noted, [], WATCHED, LATER)).toEqual(noted);
  });

  it('are noted, however many of other tokens there are', () => {
    const flood = Array.from({ length: 60 }, (_, n) => wrong(n));
    const noted = noteDeposits(noteDeposits([], flood, WATCHED, QUOTED_AT), [deposit(99, 5)], WATCHED, LATER);
    expect(noted).toHaveLength(11);
    expect(told(noted)[0]).toBe('5 of 5');
  });
});

describe('a watched deposit address', () => {
  it.each<[string, string, string | null, object | null]>([
    ['as the quote has it', quoteOf('q'), null, { chainId: 10, asked: 25_100_000n }],
    [
      'of the native coin',
      quoteWith({ token: { address: NATIVE, decimals: 18 }, amount: '2' }),
      null,
      { token: null, asked: 2n * 10n ** 18n },
    ],
    ['of a quote without decimals', quoteWith({ token: { address: USDT } }), null, { asked: null }],
    [
      'of the report',
      quoteWith({ depositAddress: undefined }),
      statusOf('q', 'AWAITING_DEPOSIT'),
      { asked: 25_100_000n },
    ],
    ['that neither has', quoteWith({ depositAddress: undefined }), null, null],
    ['with a memo, which is of many payments', quoteWith({ depositMemo: '7' }), null, null],
  ])('is one %s', (_, quoteText, reportText, expected) => {
    const watched = watchedDeposit({ quoteText, reportText, createdAt: QUOTED_AT, txHashes: [] });
    if (expected === null) expect(watched).toBeNull();
    else expect(watched).toMatchObject(expected);
  });

  it('is also searched for the other tokens of its chain that the provider lists, each once', () => {
    const listed = (address: string | null, decimals: number | null = 6, chainId = 10) => ({
      chainId,
      address: address ?? '',
      decimals,
    });
    const tokens = [TOKEN, USDT, USDT.toUpperCase().replace('0X', '0x')].map((address) => listed(address));
    const others = [
      listed(NATIVE, 18),
      listed(`0x${'3'.repeat(40)}`, null),
      listed(`0x${'4'.repeat(40)}`, 6, 1),
      listed(`0x${'5'.repeat(40)}`, 2),
    ];
    expect(otherTokens([...tokens, ...others], WATCHED)).toEqual([
      { token: expect.stringMatching(new RegExp(USDT, 'i')), least: 100n },
      { token: null, least: 10n ** 14n },
      { token: `0x${'5'.repeat(40)}`, least: 1n },
    ]);
  });

  it('are not the one that is asked for, in another form', () => {
    const watched = { ...WATCHED, token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' };
    const address = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
    expect(otherTokens([{ chainId: WATCHED.chainId, address, decimals: 6 }], watched)).toEqual([]);
  });
});
