// @ts-check
/** The answer of `POST /quote/v2`. */
import { createHash } from 'node:crypto';

import { addressFrom } from '../stand-in/addresses.js';
import { amountOf, usdText, worth } from './amounts.js';
import { carried } from './carried.js';
import { depositoryOf } from './chain-objects.js';
import { knownChain } from './chains.js';
import { depositStep } from './deposit-step.js';
import { nativeToken } from './tokens.js';

/** @typedef {import('./orders.js').Order} Order */

const ALL_BPS = 10_000n;
const DEFAULT_SLIPPAGE_BPS = 200n;
const DAY_SECONDS = 86_400;
const DEADLINE_DAYS = { depositAddress: 180, plain: 7 };

export function quoteObject(
  /** @type {Order} */ order,
  /** @type {bigint} */ slippageBps = DEFAULT_SLIPPAGE_BPS,
) {
  const minimumOut = (order.amountOut * (ALL_BPS - slippageBps)) / ALL_BPS;
  return {
    requestId: order.id,
    steps: [depositStep(order, order.address ?? '')],
    fees: feesObject(order),
    details: detailsObject(order, minimumOut, slippageBps),
    protocol: { v2: protocolObject(order, minimumOut) },
  };
}

function feesObject(/** @type {Order} */ { tokenIn, fees }) {
  const nativeIn = nativeToken(knownChain(tokenIn.chainId));
  return {
    gas: amountOf(nativeIn, fees.gas),
    relayer: amountOf(tokenIn, fees.relayerGas + fees.relayerService),
    relayerGas: amountOf(tokenIn, fees.relayerGas),
    relayerService: amountOf(tokenIn, fees.relayerService),
    app: amountOf(tokenIn, fees.app),
    subsidized: amountOf(tokenIn, 0n),
  };
}

function detailsObject(
  /** @type {Order} */ order,
  /** @type {bigint} */ minimumOut,
  /** @type {bigint} */ slippageBps,
) {
  const { tokenIn, tokenOut, amountIn, amountOut } = order;
  const currencyIn = amountOf(tokenIn, amountIn);
  const currencyOut = amountOf(tokenOut, amountOut, minimumOut);
  const leg = { inputCurrency: currencyIn, outputCurrency: carried(order), router: 'relay' };
  return {
    operation: tokenIn.symbol === tokenOut.symbol ? 'bridge' : 'swap',
    sender: order.user,
    recipient: order.recipient,
    currencyIn,
    currencyOut,
    refundCurrency: currencyIn,
    ...impacts(order),
    rate: rateOf(order),
    slippageTolerance: {
      total: slippageBps.toString(),
      origin: { usd: '0', value: '0', percent: '0' },
      destination: { usd: '0', value: '0', percent: '0' },
    },
    timeEstimate: Math.max(
      knownChain(tokenIn.chainId).timeEstimate,
      knownChain(tokenOut.chainId).timeEstimate,
    ),
    userBalance: '0',
    isFixedRate: false,
    route: {
      origin: leg,
      destination: { ...leg, inputCurrency: leg.outputCurrency, outputCurrency: currencyOut },
    },
  };
}

function impacts(/** @type {Order} */ { tokenIn, fees }) {
  const usd = (/** @type {bigint} */ raw) => usdText(-worth(raw, tokenIn));
  const relay = fees.relayerService;
  const total = { usd: usd(fees.relayerGas + relay + fees.app), percent: '-0.40' };
  return {
    totalImpact: total,
    swapImpact: { usd: '0', percent: '0' },
    expandedPriceImpact: {
      swap: { usd: '0' },
      execution: { usd: usd(fees.relayerGas) },
      relay: { usd: usd(relay) },
      app: { usd: usd(fees.app) },
      sponsored: { usd: '0' },
    },
  };
}

/** The output for one input token, to six places, without a float. */
function rateOf(/** @type {Order} */ { tokenIn, tokenOut, amountIn, amountOut }) {
  const scaled = amountOut * 10n ** BigInt(tokenIn.decimals) * 1_000_000n;
  return usdText(scaled / (amountIn * 10n ** BigInt(tokenOut.decimals)));
}

function protocolObject(/** @type {Order} */ order, /** @type {bigint} */ minimumOut) {
  const origin = knownChain(order.tokenIn.chainId);
  const destination = knownChain(order.tokenOut.chainId);
  const days = order.address === null ? DEADLINE_DAYS.plain : DEADLINE_DAYS.depositAddress;
  const deadline = Math.floor(order.createdAt / 1_000) + days * DAY_SECONDS;
  const input = { chainId: origin.name, currency: order.tokenIn.address };
  const refund = { ...input, recipient: order.refundTo ?? order.user, minimumAmount: '0', deadline };
  return {
    orderId: order.orderId,
    hubType: 'onchain',
    paymentDetails: { ...input, depository: depositoryOf(origin), amount: order.amountIn.toString() },
    orderData: {
      version: 'v1',
      solverChainId: 'base',
      solver: addressFrom('solver', 'evm'),
      salt: `0x${createHash('sha256').update(`salt:${order.id}`).digest('hex')}`,
      inputs: [{ payment: { ...input, amount: order.amountIn.toString(), weight: '1' }, refunds: [refund] }],
      output: {
        chainId: destination.name,
        payments: [
          {
            recipient: order.recipient,
            currency: order.tokenOut.address,
            minimumAmount: minimumOut.toString(),
            expectedAmount: order.amountOut.toString(),
          },
        ],
        calls: [],
        deadline,
      },
      fees: order.appFees.map(({ recipient, fee }) => ({ recipient, bps: fee })),
    },
  };
}
