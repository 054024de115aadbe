import { describe, expect, it } from '@jest/globals';
import { openPayment } from '../../src/domain/transitions/apply-report.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { quoteIdKey, spellingsOf } from '../../src/domain/payment/reading.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Poll } from '../../src/ports/schedule.ts';
import { parseAnswer, parseStatusAnswer } from '../../src/providers/http/parse-answer.ts';
import { readResponse } from '../../src/providers/connection/read-response.ts';
import { parseJson } from '../../src/providers/connection/parse-provider-json.ts';
import { claimOf } from '../support/claim.ts';
import { madePayment } from '../support/made-payment.ts';
import { pollResult } from '../support/poll-results.ts';
import { hasToken, isOnChain, mayMention, readRoute } from '../../src/domain/payment/route.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const ADDRESS = '0xabcdef0000000000000000000000000000000001';
const GOOD = { success: true, quoteId: ID, status: 'COMPLETED', depositAddress: ADDRESS };

function paymentOf(quoteId = ID): Payment {
  return openPayment(madePayment(NOW, { quoteId, depositAddress: ADDRESS })).payment;
}

/** The http provider's reading of an answer with status 200 and this body. */
function answerTo(body: string): StatusAnswer {
  const response = { status: 200, retryAfter: undefined, body: Buffer.from(body) };
  return parseStatusAnswer(parseAnswer(readResponse(response, parseJson, NOW), null));
}

function pollOf(body: string, payment = paymentOf()): Poll {
  return pollResult(claimOf(payment), answerTo(body), NOW);
}

/**
 * The verdict on a report: applied, an anomaly by its reason, or silent, in which case the last report stays and the silence
 * goes on.
 */
function verdictOf(poll: Poll): string {
  if (poll.isSilent) return poll.report === null && poll.events.length === 0 ? 'silent' : 'odd';
  if (poll.payment.status === 'COMPLETED') return 'applied';
  return poll.events.map(({ reason }) => reason).join();
}

describe('a field of a report that decides something', () => {
  const MISSING = Symbol('missing');
  const table: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
    quoteId: [
      [MISSING, 'applied'],
      [null, 'applied'],
      [12_345, 'silent'],
      [1e20, 'silent'],
      [true, 'silent'],
      ['', 'silent'],
      [[ID], 'silent'],
      [{ id: ID }, 'silent'],
      ['another', 'silent'],
      [` ${ID}`, 'silent'],
      [ID.toUpperCase(), 'applied'],
    ],
    status: [
      [MISSING, 'silent'],
      [null, 'silent'],
      [7, 'silent'],
      [true, 'silent'],
      [['COMPLETED'], 'silent'],
      [{ status: 'COMPLETED' }, 'silent'],
      ['', 'silent'],
      ['error', 'unknown_status'],
      ['Completed', 'unknown_status'],
      ['COMPLETED ', 'unknown_status'],
      ['_COMPLETED', 'unknown_status'],
      ['COMPLETED_', 'unknown_status'],
      ['COMP__LETED', 'unknown_status'],
      ['2ND', 'unknown_status'],
      ['NOT FOUND', 'unknown_status'],
      ['SETTLED', 'unknown_status'],
      ['STEP_2', 'unknown_status'],
    ],
    success: [
      [MISSING, 'applied'],
      [null, 'applied'],
      [false, 'silent'],
      ['false', 'silent'],
      ['true', 'silent'],
      [0, 'silent'],
      [1, 'silent'],
      [{}, 'silent'],
    ],
    depositAddress: [
      [MISSING, 'applied'],
      [null, 'applied'],
      ['', 'applied'],
      [ADDRESS.toUpperCase().replace('X', 'x'), 'applied'],
      [7, 'other_address'],
      [[ADDRESS], 'other_address'],
      ['0xabcdef0000000000000000000000000000000002', 'other_address'],
    ],
    expiresAt: [
      [MISSING, 'applied'],
      [null, 'applied'],
      [{}, 'applied'],
      ['soon', 'applied'],
      [-1, 'applied'],
    ],
  };
  const cases = Object.entries(table).flatMap(([field, values]) =>
    values.map(([value, verdict]) => [field, value, verdict] as const),
  );
  it.each(cases)('%s of %p: %s', (field, value, verdict) => {
    const { [field]: _left, ...rest } = GOOD as Record<string, unknown>;
    const body = value === MISSING ? rest : { ...rest, [field]: value };
    expect(verdictOf(pollOf(JSON.stringify(body)))).toBe(verdict);
  });

  it('is an id of digits only as text', () => {
    const payment = paymentOf('12345');
    expect(verdictOf(pollOf('{"quoteId":12345,"status":"COMPLETED"}', payment))).toBe('silent');
    expect(verdictOf(pollOf('{"quoteId":"12345","status":"COMPLETED"}', payment))).toBe('applied');
  });
});

describe('an answer of status 200 that is no report', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '"COMPLETED"',
    '{"success":true,"message":"maintenance"}',
    `{"success":true,"data":${JSON.stringify(GOOD)}}`,
    '{"status":"error","message":"rate limited"}',
    '{"status":500,"error":"Internal Server Error"}',
    '{"success":false,"status":"COMPLETED"}',
    '{"error":"busy"}',
    '<html><body>502 Bad Gateway</body></html>',
    '',
  ])('changes nothing: %s', (body) => {
    expect(answerTo(body)).toMatchObject({ kind: 'unavailable', reason: 'unreadable answer' });
    expect(verdictOf(pollOf(body))).toBe('silent');
  });
});

describe('a quote id', () => {
  it('is the same UUID in any letter case, and another id in none', () => {
    expect(quoteIdKey(ID.toUpperCase())).toBe(ID);
    expect(quoteIdKey('Quote-1')).toBe('Quote-1');
    for (const id of [`x${ID}`, `${ID}0`, ID.replaceAll('-', '_'), ID.replace('5', 'G')])
      expect(quoteIdKey(id.toUpperCase())).toBe(id.toUpperCase());
  });

  it('has other spellings only as a UUID', () => {
    const mixed = `${ID.slice(0, 18).toUpperCase()}${ID.slice(18)}`;
    expect(spellingsOf(mixed)).toEqual([mixed, ID, ID.toUpperCase()]);
    expect(spellingsOf(ID)).toEqual([ID, ID.toUpperCase()]);
    expect(spellingsOf('Quote-1')).toEqual(['Quote-1']);
  });
});

const QUOTE = {
  send: {
    depositAddress: '0xd',
    chain: { id: 8453, name: 'Base' },
    token: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC' },
    amount: '25.420000000000000001',
  },
  receive: {
    chain: { id: 792703809, name: 'Solana' },
    token: { address: 'So11111111111111111111111111111111111111112', symbol: 'SOL' },
    estimatedAmount: '0.1',
  },
  recipient: '7xKX',
};
const REPORT = {
  depositAddress: '0xe',
  route: {
    from: { chainId: 1, chainName: 'Ethereum', token: '0xa' },
    to: { chainId: 10, chainName: 'Optimism', token: '0xb' },
    amount: '25420000',
    recipient: '0xc',
  },
};
const NONE = { chainId: null, chainName: null, token: null, symbol: null, amount: null };

const routeOf = (quote: unknown, report: unknown) =>
  readRoute({
    quoteText: quote === null ? null : JSON.stringify(quote),
    reportText: report === null ? null : JSON.stringify(report),
  });

describe('the route of a payment', () => {
  it('is that of the quote', () => {
    expect(routeOf(QUOTE, REPORT)).toEqual({
      origin: {
        chainId: '8453',
        chainName: 'Base',
        token: QUOTE.send.token.address,
        symbol: 'USDC',
        amount: '25.420000000000000001',
      },
      destination: {
        chainId: '792703809',
        chainName: 'Solana',
        token: QUOTE.receive.token.address,
        symbol: 'SOL',
        amount: '0.1',
      },
      depositAddress: '0xd',
      depositMemo: null,
      recipient: '7xKX',
    });
  });

  it('is that of the report where there is no quote, without amounts: those have another unit', () => {
    expect(routeOf(null, { ...REPORT, depositMemo: '77' })).toEqual({
      origin: { ...NONE, chainId: '1', chainName: 'Ethereum', token: '0xa' },
      destination: { ...NONE, chainId: '10', chainName: 'Optimism', token: '0xb' },
      depositAddress: '0xe',
      depositMemo: '77',
      recipient: '0xc',
    });
  });

  it.each([null, {}, [], 7, { send: 7, receive: { chain: [], token: null } }, { route: 'none' }])(
    'is unknown where neither says it: %j',
    (said) => {
      const places = { depositAddress: null, depositMemo: null, recipient: null };
      const nothing = { origin: NONE, destination: NONE, ...places };
      expect(routeOf(said, said)).toEqual(nothing);
    },
  );

  it('keeps every digit of an amount that is sent as a number', () => {
    const quoteText =
      '{"send": {"amount": 123456789012345678901234567890.10 }, "receive":{"estimatedAmount":7}}';
    const { origin, destination } = readRoute({ quoteText, reportText: null });
    expect([origin.amount, destination.amount]).toEqual(['123456789012345678901234567890.10', '7']);
  });
});

describe('a filter', () => {
  const route = routeOf(QUOTE, null);

  it.each([
    ['8453', true],
    ['base', true],
    ['SOLANA', true],
    ['1', false],
    ['Bas', false],
  ])('by chain %s finds it: %s', (chain, isFound) => {
    expect(isOnChain(route, chain)).toBe(isFound);
  });

  it.each([
    ['usdc', true],
    ['SOL', true],
    [QUOTE.send.token.address.toUpperCase().replace('0X', '0x'), true],
    [QUOTE.receive.token.address, true],
    [QUOTE.receive.token.address.toLowerCase(), false],
    ['USD', false],
    ['Base', false],
  ])('by token %s finds it: %s', (token, isFound) => {
    expect(hasToken(route, token)).toBe(isFound);
  });

  it.each<[string | null, string | null, string, boolean]>([
    ['{"name":"BASE"}', null, 'Base', true],
    [null, '{"chainId":8453}', '8453', true],
    ['{"name":"Solana"}', '{}', 'base', false],
    [null, null, 'x', false],
    [String.raw`{"name":"B\u0061se"}`, null, 'base', true],
  ])('takes a text apart where it may have the word: %s %s %s', (quoteText, reportText, word, may) => {
    expect(mayMention({ quoteText, reportText }, word)).toBe(may);
  });
});
