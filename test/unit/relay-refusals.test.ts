import { describe, expect, it } from '@jest/globals';

import { parseRelayAnswer } from '../../src/providers/relay/parse-relay-answer.ts';
import { valueOrThrow } from '../../src/providers/relay/refusals.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
} from '../../src/ports/payment-provider.ts';
import type { ProviderResponse } from '../../src/providers/connection/read-response.ts';

const KEY = 'relay-key-1';
const GENERIC = /^The payment provider refused this\./;

const reply = (httpStatus: number, value: unknown, retryAfterMs: number | null = null): ProviderResponse => ({
  kind: 'json',
  httpStatus,
  value,
  text: '',
  retryAfterMs,
});
/** What a quote that is answered so comes to. */
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
      { code: 'AMOUNT_TOO_LOW' },
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

  it('is what can not be read', () => {
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
