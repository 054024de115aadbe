import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromRaw, readDecimals, readRaw, toRaw } from '../../src/providers/shared/raw-amount.ts';
import {
  ProviderRefused,
  ProviderCredentials,
  ProviderUnavailable,
} from '../../src/ports/payment-provider.ts';
import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { newPayment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { parseRelayRequest } from '../../src/providers/relay/status/relay-request.ts';
import { rowsOfQuotes } from '../../src/providers/relay/status/status-rows.ts';
import { toStatus } from '../../src/providers/relay/status/to-status.ts';
import { evmAddress, paidAddress, QUOTED_AT, relayQuote, relayRow } from '../support/relay-rows.ts';
import { parseRelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { valueOrThrow } from '../../src/providers/relay/refusals.ts';
import type { ProviderResponse } from '../../src/providers/connection/read-response.ts';
import { toQuoteBody, type QuoteRequestOptions } from '../../src/providers/relay/quote/relay-order.ts';
import { isSameAddress, isWalletAddress } from '../../src/providers/shared/vm-addresses.ts';
import {
  BASE_USDC,
  BITCOIN,
  BITCOIN_NATIVE,
  EVM_WALLET,
  orderOf,
  POLYGON_USDC,
  SOLANA,
  SOLANA_NATIVE,
  SOLANA_WALLET,
  TRON,
  TRON_NATIVE,
  TRON_WALLET,
  ZERO_ADDRESS,
} from '../support/relay-answers.ts';

const tokenOf = (decimals: number) => ({ symbol: 'USDC', decimals });

describe('an amount in the smallest unit', () => {
  it.each([
    ['25.5', 6, '25500000'],
    ['25.500000', 6, '25500000'],
    ['0.000001', 6, '1'],
    ['1', 0, '1'],
    ['0.010000000000000001', 18, '10000000000000001'],
    ['0.1', 255, `1${'0'.repeat(254)}`],
    [`${'9'.repeat(60)}.${'9'.repeat(18)}`, 18, '9'.repeat(78)],
  ])('of %s with %i decimals is %s', (human, decimals, raw) => {
    expect(toRaw(human, tokenOf(decimals))).toBe(raw);
  });

  it.each([
    ['0.0000001', 6],
    ['1.1', 0],
    ['0', 6],
    ['0.000000', 6],
    ['-1', 6],
    ['1e3', 6],
    ['', 6],
    ['1,5', 6],
  ])('is refused for %j with %i decimals, naming the amount', (human, decimals) => {
    let error: unknown;
    try {
      toRaw(human, tokenOf(decimals));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error).toMatchObject({ httpStatus: 422, field: 'amount' });
  });

  it('comes back as it was, for every amount and number of decimals', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 59n }),
        fc.integer({ min: 0, max: 60 }),
        (raw, decimals) => {
          const human = fromRaw(raw, decimals);
          expect(toRaw(human, tokenOf(decimals))).toBe(raw.toString());
          expect(human).not.toMatch(/\.\d*0$|\.$/);
        },
      ),
    );
  });

  it.each([
    ['25000000', 6, '25'],
    ['25500000', 6, '25.5'],
    ['1', 18, '0.000000000000000001'],
    ['0', 18, '0'],
    ['-1500', 3, '-1.5'],
    ['7', 0, '7'],
  ])('%s with %i decimals is shown as %s', (raw, decimals, human) => {
    expect([fromRaw(raw, decimals), fromRaw(BigInt(raw), decimals)]).toEqual([human, human]);
  });

  it.each([
    ['123', 123n],
    ['-5', -5n],
    [42, 42n],
    ['1.5', null],
    ['0x10', null],
    ['', null],
    [1.5, null],
    [2 ** 60, null],
    [null, null],
    [{}, null],
    ['9'.repeat(81), null],
  ])('is read from %j', (value, raw) => {
    expect(readRaw(value)).toBe(raw);
  });

  it.each([
    [0, 0],
    [255, 255],
    [256, null],
    [-1, null],
    [1.5, null],
    ['6', null],
    [undefined, null],
  ])('has %j decimals as far as they can be read', (value, decimals) => {
    expect(readDecimals(value)).toBe(decimals);
  });
});

const QUOTE = relayQuote();
const { quoteId, depositAddress } = QUOTE;
const MISSING = Symbol('missing');
const OTHER_ADDRESS = evmAddress(9);

/** The payment's status after one row of Relay, or the reason of its anomaly. */
function verdictOf(row: Record<string, unknown>): string {
  const request = parseRelayRequest(row);
  const { byQuote } = rowsOfQuotes([QUOTE], request === null ? [] : [request]);
  const rows = byQuote.get(quoteId) ?? [];
  if (rows.length === 0) return 'not its row';
  const text = toStatus(QUOTE, rows, QUOTED_AT);
  const report = readReport(JSON.parse(text), text);
  if (report === null) return 'no report';
  const fields = {
    quoteId,
    provider: 'relay',
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
    depositAddress,
  };
  const { payment } = openPayment(newPayment(fields, QUOTED_AT));
  const { events, payment: after } = applyReport(payment, report, QUOTED_AT, { stalledAfterMs: 900_000 });
  const reasons = events.flatMap(({ reason }) => reason ?? []);
  return reasons.length > 0 ? `${reasons.join()} at ${after.status}` : after.status;
}

describe('a field of a row of Relay that decides something', () => {
  const table: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
    id: [
      [MISSING, 'not its row'],
      // Another request on the same address is another deposit for the same quote.
      [`0x${'b2'.repeat(32)}`, 'COMPLETED'],
    ],
    depositAddress: [
      [MISSING, 'COMPLETED'],
      [null, 'COMPLETED'],
      [7, 'COMPLETED'],
      [{}, 'COMPLETED'],
      ['N/A', 'COMPLETED'],
      [depositAddress.toLowerCase(), 'COMPLETED'],
      [{ ...paidAddress(QUOTE), address: OTHER_ADDRESS }, 'other_address at AWAITING_DEPOSIT'],
      [OTHER_ADDRESS, 'other_address at AWAITING_DEPOSIT'],
    ],
    status: [],
  };
  const cases = Object.entries(table).flatMap(([field, values]) =>
    values.map(([value, verdict]) => [field, value, verdict] as const),
  );
  it.each(cases)('%s of %p: %s', (field, value, verdict) => {
    const good = relayRow(QUOTE, { status: 'success', depositAddress: paidAddress(QUOTE) });
    const { [field]: _left, ...rest } = good;
    expect(verdictOf(value === MISSING ? rest : { ...rest, [field]: value })).toBe(verdict);
  });

  it('is of no use where both id and address are another', () => {
    const row = relayRow(QUOTE, {
      id: '0xother',
      status: 'success',
      depositAddress: { address: OTHER_ADDRESS },
    });
    expect(verdictOf(row)).toBe('not its row');
  });
});

const KEY = 'relay-key-1';
const GENERIC = /^The payment provider refused this\./;

const reply = (httpStatus: number, value: unknown, retryAfterMs: number | null = null): ProviderResponse => ({
  kind: 'json',
  httpStatus,
  value,
  text: '',
  retryAfterMs,
});
/** The error of a quote request with this answer. */
const thrownBy = (httpStatus: number, body: unknown, retryAfterMs: number | null = null): unknown => {
  try {
    return valueOrThrow(parseRelayAnswer(reply(httpStatus, body, retryAfterMs), KEY));
  } catch (error) {
    return error;
  }
};

describe("a refusal of Relay's", () => {
  it.each([
    ['AMOUNT_TOO_LOW', 'amount', /too small/],
    ['AMOUNT_TOO_HIGH', 'amount', /too large/],
    ['INSUFFICIENT_LIQUIDITY', 'amount', /liquidity/],
    ['SWAP_IMPACT_TOO_HIGH', 'amount', /cost too much/],
    ['NO_QUOTES', null, /no route/],
    ['NO_SWAP_ROUTES_FOUND', null, /no route/],
    ['NO_INTERNAL_SWAP_ROUTES_FOUND', null, /no route/],
    ['SWAP_QUOTE_FAILED', null, /no route/],
    ['UNSUPPORTED_ROUTE', null, /no route/],
    ['ROUTE_TEMPORARILY_RESTRICTED', null, /try again later/],
    ['SANCTIONED_WALLET_ADDRESS', 'recipient', /may not be paid/],
    ['BLOCKED_WALLET_ADDRESS', 'recipient', /may not be paid/],
    ['SANCTIONED_CURRENCY', null, /may not be traded/],
    ['INVALID_ADDRESS', 'recipient', /not a wallet/],
    ['INVALID_RECIPIENT', 'recipient', /not a wallet/],
    ['USER_RECIPIENT_MISMATCH', 'recipient', /not a wallet/],
    ['UNSUPPORTED_CURRENCY', 'fromToken', /token to pay with/],
    ['INVALID_INPUT_CURRENCY', 'fromToken', /token to pay with/],
    ['INVALID_OUTPUT_CURRENCY', 'toToken', /token to receive/],
    ['CHAIN_DISABLED', null, /not available now/],
    ['UNSUPPORTED_CHAIN', null, /not available now/],
    ['DESTINATION_TX_FAILED', null, /would fail/],
    ['INSUFFICIENT_FUNDS', null, /deposit address/],
    ['EXTRA_TXS_NOT_SUPPORTED', null, /deposit address/],
    ['INVALID_EXTRA_TXS', null, /deposit address/],
    ['INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS', null, /deposit address/],
    ['INVALID_SLIPPAGE_TOLERANCE', null, /deposit address/],
    ['UNSUPPORTED_EXECUTION_TYPE', null, /deposit address/],
    ['SOLANA_TX_TOO_LARGE', null, /deposit address/],
    ['ERC20_ROUTER_ADDRESS_NOT_FOUND', null, /deposit address/],
    ['PERMIT_FAILED', null, /deposit address/],
    ['UNKNOWN_ERROR', null, GENERIC],
    ['SOMETHING_NEW', null, GENERIC],
  ])('%s is a 422 about %s, in plain words', (errorCode, field, words) => {
    const error = thrownBy(400, { message: "Relay's words", errorCode });
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error).toMatchObject({ httpStatus: 422, field, message: expect.stringMatching(words) });
    expect(error).toMatchObject({ message: expect.stringMatching(/ Relay says: Relay's words$/) });
  });

  it.each([
    [
      400,
      { code: 'NO_QUOTES', errorCode: 'AMOUNT_TOO_LOW' },
      'The amount is too small: the fees would take all or most of it. Relay says: AMOUNT_TOO_LOW',
    ],
    [422, { error: 'no such price' }, 'The payment provider refused this. Relay says: no such price'],
    [
      409,
      { statusCode: 409, code: 'FST_ERR', error: 'Conflict', message: 'later' },
      'The payment provider refused this. Relay says: later',
    ],
    [404, { error: { message: 'inner' } }, 'The payment provider refused this. Relay says: inner'],
    [400, 'only words', 'The payment provider refused this. Relay says: only words'],
    [400, null, 'The payment provider refused this.'],
    [400, [], 'The payment provider refused this.'],
    [400, { message: ' ', errorCode: 7 }, 'The payment provider refused this.'],
    [400, { errorCode: 'A B' }, 'The payment provider refused this.'],
    [
      400,
      { message: `bad key ${KEY}\r\nnext` },
      'The payment provider refused this. Relay says: bad key *** next',
    ],
    [
      400,
      { message: 'toString', errorCode: 'constructor' },
      'The payment provider refused this. Relay says: toString',
    ],
  ])('is read from %i %j', (status, body, message) => {
    expect(thrownBy(status, body)).toEqual(new ProviderRefused(422, message));
  });

  it('never repeats the key, also as the address of a request has it', () => {
    const key = "o'dd key/with+all=of%it&";
    const inQuery = new URLSearchParams({ apiKey: key }).toString();
    for (const echo of [inQuery, `apiKey=${encodeURIComponent(key)}`, `apiKey=${key}`]) {
      const words = `Route GET:/requests/v3?${echo}&limit=1 not found`;
      expect(parseRelayAnswer(reply(404, { message: words }), key)).toMatchObject({
        message: 'Route GET:/requests/v3?apiKey=***&limit=1 not found',
      });
    }
  });

  it('holds at most 300 characters of Relay', () => {
    const { message } = thrownBy(400, { message: 'x'.repeat(5_000) }) as Error;
    expect(message.endsWith(`Relay says: ${'x'.repeat(300)}`)).toBe(true);
  });
});

describe("a trouble of Relay's", () => {
  it.each([
    [503, { errorCode: 'SERVICE_UNAVAILABLE' }, 'SERVICE_UNAVAILABLE'],
    [400, { errorCode: 'PRICE_FETCH_FAILED' }, 'PRICE_FETCH_FAILED'],
    [400, { code: 'REQUEST_TIMED_OUT' }, 'REQUEST_TIMED_OUT'],
    [422, { errorCode: 'RPC_HTTP_ERROR' }, 'RPC_HTTP_ERROR'],
    [500, { errorCode: 'UNKNOWN_ERROR', message: 'x' }, 'status 500'],
    [500, { errorCode: 'AMOUNT_TOO_LOW' }, 'status 500'],
    [408, {}, 'status 408'],
    [429, { message: 'too many' }, 'status 429'],
    [302, {}, 'status 302'],
  ])('%i %j is no refusal', (status, body, reason) => {
    const error = thrownBy(status, body, 3_000);
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect(error).toMatchObject({ reason, retryAfterMs: 3_000 });
  });

  it('is what cannot be read', () => {
    const unread: ProviderResponse = {
      kind: 'unavailable',
      reason: 'status 502',
      httpStatus: 502,
      retryAfterMs: null,
    };
    expect(parseRelayAnswer(unread, KEY)).toBe(unread);
  });
});

describe('a key that Relay does not take', () => {
  it.each([
    [401, { message: 'Please provide an api key', errorCode: 'UNAUTHORIZED_QUOTE' }],
    [401, null],
    [403, { message: 'no' }],
    [400, { errorCode: 'UNAUTHORIZED' }],
    [400, { code: 'FORBIDDEN' }],
    [
      400,
      {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        message: "headers must have required property 'x-api-key'",
      },
    ],
  ])('is recognised by %i %j', (status, body) => {
    expect(thrownBy(status, body)).toBeInstanceOf(ProviderCredentials);
  });

  it('is not recognised by a code that only begins alike', () => {
    expect(thrownBy(400, { errorCode: 'FORBIDDENISH' })).toBeInstanceOf(ProviderRefused);
  });
});

const BITCOIN_WALLET = 'bc1q4vxn43l44h30nkluqfxd9eckf45vr2awz38lwa';
const TREASURY = '0x1111111111111111111111111111111111111111';
const OPTIONS: QuoteRequestOptions = { refundTo: new Map(), appFees: [] };

const refusalOf = (work: () => unknown): ProviderRefused => {
  try {
    work();
  } catch (error) {
    if (error instanceof ProviderRefused) return error;
    throw error;
  }
  throw new Error('It was not refused.');
};

describe('a wallet address', () => {
  it.each([
    ['evm', EVM_WALLET, true],
    ['evm', EVM_WALLET.slice(0, -1), false],
    ['evm', `${EVM_WALLET}\n`, false],
    ['evm', EVM_WALLET.slice(2).padEnd(42, '0'), false],
    ['evm', ZERO_ADDRESS, false],
    ['evm', SOLANA_WALLET, false],
    ['hypevm', EVM_WALLET, true],
    ['hypevm', ZERO_ADDRESS, false],
    ['svm', SOLANA_WALLET, true],
    ['svm', SOLANA_NATIVE, false],
    ['svm', SOLANA_WALLET.slice(0, -2), false],
    ['svm', `${SOLANA_WALLET}0`, false],
    ['svm', EVM_WALLET, false],
    // 31 bytes, and 33.
    ['svm', 'z'.repeat(42), false],
    ['svm', 'z'.repeat(44), false],
    ['svm', 'z'.repeat(100_000), false],
    ['tvm', TRON_WALLET, true],
    ['tvm', 'THa7BwoPfacfiELa63pbmm3g5PGKYmtJyt', true],
    ['tvm', `${TRON_WALLET.slice(0, -1)}u`, false],
    ['tvm', TRON_NATIVE, false],
    ['tvm', EVM_WALLET, false],
    ['bvm', BITCOIN_WALLET, true],
    ['bvm', BITCOIN_WALLET.toUpperCase(), true],
    ['bvm', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', true],
    ['bvm', BITCOIN_NATIVE, false],
    ['bvm', EVM_WALLET, false],
    ['xrpvm', 'xrp', false],
    ['dreamvm', 'anything', true],
    ['dreamvm', '', false],
  ])('on %s can be %s: %j', (vmType, address, can) => {
    expect(isWalletAddress(address, vmType)).toBe(can);
  });

  it.each([
    ['evm', EVM_WALLET, EVM_WALLET.toLowerCase(), true],
    ['evm', EVM_WALLET, TREASURY, false],
    ['svm', SOLANA_WALLET, SOLANA_WALLET.toLowerCase(), false],
    ['tvm', TRON_WALLET, TRON_WALLET.toLowerCase(), false],
    ['bvm', BITCOIN_WALLET, BITCOIN_WALLET.toUpperCase(), true],
    ['bvm', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '1a1zp1ep5qgefi2dmptftl5slmv7divfna', false],
    ['dreamvm', 'Abc', 'abc', false],
  ])('on %s, %s and %s are the same: %j', (vmType, one, other, isSame) => {
    expect(isSameAddress(one, other, vmType)).toBe(isSame);
  });
});

describe('a request for a quote', () => {
  it('is refused before Relay is asked, with the field and what would do', () => {
    expect(
      [
        { fromChainId: 4 },
        { fromChainId: 7_777_777 },
        { toChainId: 59_144 },
        { fromToken: `0x${'9'.repeat(40)}` },
        { fromChainId: 137, fromToken: ZERO_ADDRESS },
        { fromChainId: 42220, fromToken: ZERO_ADDRESS },
        { fromChainId: 43114, fromToken: ZERO_ADDRESS },
        { recipient: SOLANA_WALLET },
        { toChainId: SOLANA, recipient: EVM_WALLET },
        { toChainId: TRON, recipient: EVM_WALLET },
        { toChainId: BITCOIN, recipient: EVM_WALLET },
        { amount: '0.0000001' },
      ].map((changes) => {
        const { httpStatus, field, message } = refusalOf(() => orderOf(changes));
        return `${httpStatus} ${field}: ${message}`;
      }),
    ).toEqual([
      '422 fromChainId: The chain 4 cannot be used now: GET /api/chains lists those that can.',
      '422 fromChainId: The chain 7777777 cannot be used now: GET /api/chains lists those that can.',
      '422 toChainId: The chain 59144 cannot be used now: GET /api/chains lists those that can.',
      '422 fromToken: This token cannot be paid with on Base. A deposit address there takes ETH, USDC.',
      '422 fromToken: This token cannot be paid with on Polygon. A deposit address there takes USDC.',
      '422 fromToken: This token cannot be paid with on Celo. A deposit address there takes USDC.',
      '422 fromToken: This token cannot be paid with on Avalanche. A deposit address there takes USDC.',
      '422 recipient: The recipient is not a wallet address on Arbitrum. It should be 0x and 40 hexadecimal digits.',
      '422 recipient: The recipient is not a wallet address on Solana. It should be 32 to 44 base58 characters.',
      '422 recipient: The recipient is not a wallet address on Tron. It should be T and 33 base58 characters.',
      '422 recipient: The recipient is not a wallet address on Bitcoin. It should be an address that begins with bc1, 1 or 3.',
      '422 amount: The amount has too many fraction digits: USDC has at most 6 fraction digits.',
    ]);
  });

  it('asks Relay for a deposit address of this payment alone, in the smallest unit', () => {
    expect(toQuoteBody(orderOf(), OPTIONS)).toEqual({
      user: '0x000000000000000000000000000000000000dead',
      recipient: EVM_WALLET,
      originChainId: 8453,
      originCurrency: BASE_USDC,
      destinationChainId: 42161,
      destinationCurrency: ZERO_ADDRESS,
      amount: '25500000',
      tradeType: 'EXACT_INPUT',
      useDepositAddress: true,
      strict: true,
      refundTo: ZERO_ADDRESS,
    });
  });

  it('names the treasury and the fees of this service where they are set', () => {
    const options: QuoteRequestOptions = {
      refundTo: new Map([
        ['evm', TREASURY],
        ['svm', SOLANA_WALLET],
      ]),
      appFees: [{ recipient: TREASURY, fee: 50 }],
    };
    expect(toQuoteBody(orderOf(), options)).toMatchObject({
      refundTo: TREASURY,
      appFees: [{ recipient: TREASURY, fee: '50' }],
    });
  });

  it.each([
    [SOLANA, ZERO_ADDRESS, SOLANA_NATIVE, 'CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr', SOLANA_NATIVE],
    [BITCOIN, ZERO_ADDRESS, BITCOIN_NATIVE, BITCOIN_WALLET, BITCOIN_NATIVE],
    [137, POLYGON_USDC, POLYGON_USDC, '0x000000000000000000000000000000000000dead', ZERO_ADDRESS],
  ])('from chain %i has its addresses', (fromChainId, fromToken, originCurrency, user, refundTo) => {
    expect(toQuoteBody(orderOf({ fromChainId, fromToken }), OPTIONS)).toMatchObject({
      originChainId: fromChainId,
      originCurrency,
      user,
      refundTo,
    });
  });

  it.each([
    [SOLANA, SOLANA_WALLET, SOLANA_NATIVE],
    [TRON, TRON_WALLET, TRON_NATIVE],
    [BITCOIN, BITCOIN_WALLET, BITCOIN_NATIVE],
  ])("to chain %i asks for its native token under Relay's address", (toChainId, recipient, native) => {
    const body = toQuoteBody(orderOf({ toChainId, recipient, toToken: ZERO_ADDRESS }), OPTIONS);
    expect(body).toMatchObject({ destinationCurrency: native, recipient });
  });

  it.each([
    [TRON, TRON_WALLET, 'tvm', TRON_WALLET, 'THa7BwoPfacfiELa63pbmm3g5PGKYmtJyt'],
    [77, ZERO_ADDRESS, 'dreamvm', 'our dream', 'our dream'],
  ])('from chain %i needs a refund address of this service', (fromChainId, fromToken, vmType, ours, user) => {
    const order = orderOf({ fromChainId, fromToken, amount: '3' });
    expect(refusalOf(() => toQuoteBody(order, OPTIONS))).toMatchObject({
      field: 'refundTo',
      httpStatus: 422,
    });
    const options = { ...OPTIONS, refundTo: new Map([[vmType, ours]]) };
    expect(toQuoteBody(order, options)).toMatchObject({ user, refundTo: ours });
  });
});
