import { describe, expect, it } from '@jest/globals';

import { toQuoteBody, type QuoteRequestOptions } from '../../src/providers/relay/quote/to-quote-body.ts';
import { isSameAddress, isWalletAddress } from '../../src/providers/shared/vm-addresses.ts';
import { ProviderRefused } from '../../src/ports/payment-provider.ts';
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

const BITCOIN_WALLET = 'bc1q4vxn43l44h30nkluqfxd9eckf45vr2awz38lwa';
const TREASURY = '0x1111111111111111111111111111111111111111';
const OPTIONS: QuoteRequestOptions = { refundTo: new Map(), appFees: [], referrer: null };

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
    ['evm', ZERO_ADDRESS, false],
    ['evm', SOLANA_WALLET, false],
    ['hypevm', EVM_WALLET, true],
    ['hypevm', ZERO_ADDRESS, false],
    ['svm', SOLANA_WALLET, true],
    ['svm', SOLANA_NATIVE, false],
    ['svm', SOLANA_WALLET.slice(0, -2), false],
    ['svm', `${SOLANA_WALLET}0`, false],
    ['svm', EVM_WALLET, false],
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
      "422 fromChainId: The chain 4 can't be used now: GET /api/chains lists those that can.",
      "422 fromChainId: The chain 7777777 can't be used now: GET /api/chains lists those that can.",
      "422 toChainId: The chain 59144 can't be used now: GET /api/chains lists those that can.",
      "422 fromToken: This token can't be paid with on Base. A deposit address there takes ETH, USDC.",
      "422 fromToken: This token can't be paid with on Polygon. A deposit address there takes USDC.",
      "422 fromToken: This token can't be paid with on Celo. A deposit address there takes USDC.",
      "422 fromToken: This token can't be paid with on Avalanche. A deposit address there takes USDC.",
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

  it('names the treasury, the fees and the referrer of this service where they are set', () => {
    const options: QuoteRequestOptions = {
      refundTo: new Map([
        ['evm', TREASURY],
        ['svm', SOLANA_WALLET],
      ]),
      appFees: [{ recipient: TREASURY, bps: '50' }],
      referrer: 'paybell.example',
    };
    expect(toQuoteBody(orderOf(), options)).toMatchObject({
      refundTo: TREASURY,
      appFees: [{ recipient: TREASURY, fee: '50' }],
      referrer: 'paybell.example',
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
