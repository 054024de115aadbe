import { addressFrom } from '../stand-in/addresses.js';

type Json = Record<string, unknown>;

/** The answer to a quote without its signature. */
export interface UnsignedAnswer {
  readonly quote: Json;
  readonly quoteRequest: Json;
  readonly timestamp: string;
}

export interface SignedAnswer extends UnsignedAnswer {
  readonly signature: string;
}

const ONE_PER_CENT = 100n;
const INTENTS_ACCOUNT = 'ab'.repeat(32);

const changeQuote =
  (change: Json) =>
  (said: UnsignedAnswer): UnsignedAnswer => ({ ...said, quote: { ...said.quote, ...change } });
const changeEcho =
  (change: Json) =>
  (said: UnsignedAnswer): UnsignedAnswer => ({ ...said, quoteRequest: { ...said.quoteRequest, ...change } });

/** The API itself is wrong, and signs its wrong answer. */
const SIGNED_LIES = {
  'another recipient': changeEcho({ recipient: addressFrom('thief', 'evm') }),
  'another refund address': changeEcho({ refundTo: addressFrom('thief', 'evm') }),
  'another amount': ({ quote, ...said }: UnsignedAnswer): UnsignedAnswer => ({
    ...said,
    quote: { ...quote, amountIn: (BigInt(String(quote['amountIn'])) + ONE_PER_CENT).toString() },
  }),
  'another destination': changeEcho({ destinationAsset: 'nep141:eth.omft.near' }),
  'another swap type': changeEcho({ swapType: 'FLEX_INPUT' }),
  'another slippage': changeEcho({ slippageTolerance: 900 }),
  'an account of Intents as the address': changeQuote({ depositAddress: INTENTS_ACCOUNT }),
  'no address': changeQuote({ depositAddress: undefined }),
  'a memo on a chain without memos': changeQuote({ depositMemo: '1234567890' }),
  'no output': changeQuote({ amountOut: '0', minAmountOut: '0' }),
  'too small a least output': ({ quote, ...said }: UnsignedAnswer): UnsignedAnswer => ({
    ...said,
    quote: { ...quote, minAmountOut: (BigInt(String(quote['minAmountOut'])) / 2n).toString() },
  }),
  'a higher least amount to pay': ({ quote, ...said }: UnsignedAnswer): UnsignedAnswer => ({
    ...said,
    quote: { ...quote, minAmountIn: (BigInt(String(quote['amountIn'])) + 1n).toString() },
  }),
  'formatted amounts of other decimals': changeQuote({ amountInFormatted: '0.000025' }),
  'an address that dies before the deadline': changeQuote({ deadline: '2020-01-01T00:00:00.000Z' }),
  'the asset by another id': changeEcho({ originAsset: '1cs_v1:btc:native:coin' }),
  'missing optional fields': ({ quote, ...said }: UnsignedAnswer): UnsignedAnswer => {
    const { refundFee: _refundFee, withdrawFee: _withdrawFee, timeWhenInactive: _inactive, ...kept } = quote;
    return { ...said, quote: kept };
  },
} satisfies Record<string, (said: UnsignedAnswer) => UnsignedAnswer>;

/** An attacker in the middle changes an answer that the API has signed. */
const UNSIGNED_LIES = {
  'a swapped address': ({ quote, ...said }: SignedAnswer): SignedAnswer => ({
    ...said,
    quote: { ...quote, depositAddress: addressFrom('thief', 'evm') },
  }),
  'a wrong signature': (said: SignedAnswer): SignedAnswer => ({
    ...said,
    signature: said.signature.replace(/.{6}$/, '111111'),
  }),
  'no signature': (said: SignedAnswer): SignedAnswer => ({ ...said, signature: '' }),
  'a foreign fee of 400': ({ quoteRequest, ...said }: SignedAnswer): SignedAnswer => ({
    ...said,
    quoteRequest: {
      ...quoteRequest,
      appFees: [{ recipient: INTENTS_ACCOUNT, fee: 400, limitOrderId: null }],
    },
  }),
} satisfies Record<string, (said: SignedAnswer) => SignedAnswer>;

export type Lie = keyof typeof SIGNED_LIES | keyof typeof UNSIGNED_LIES;

export const LIE_NAMES = [...Object.keys(SIGNED_LIES), ...Object.keys(UNSIGNED_LIES)] as readonly Lie[];

/** The signed honest answer, or the answer with this lie. */
export function lieAbout(
  lie: Lie | null,
  honest: UnsignedAnswer,
  sign: (quote: Json, quoteRequest: Json) => string,
): SignedAnswer {
  const said =
    lie !== null && lie in SIGNED_LIES ? SIGNED_LIES[lie as keyof typeof SIGNED_LIES](honest) : honest;
  const signed = { ...said, signature: sign(said.quote, said.quoteRequest) };
  return lie !== null && lie in UNSIGNED_LIES
    ? UNSIGNED_LIES[lie as keyof typeof UNSIGNED_LIES](signed)
    : signed;
}
