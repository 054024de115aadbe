// @ts-check
/** The cost of a trade, at the stand-in's fixed prices. */
import { rawFor, swapped, worth } from './amounts.js';
import { knownChain } from './chains.js';

/** @typedef {import('./tokens.js').Token} Token */
/**
 * All fees in the input token's smallest unit, except gas, which is in the origin chain's native token. @typedef {{ gas:
 * bigint, relayerGas: bigint, relayerService: bigint, app: bigint }} Fees
 */
/** @typedef {{ tokenIn: Token, tokenOut: Token, amountIn: bigint, amountOut: bigint, fees: Fees }} Trade */
/** @typedef {{ appBps: bigint, serviceBps: bigint }} Bps */

const ALL_BPS = 10_000n;
/** Relay never routes less than this within a chain. */
const SAME_CHAIN_LEAST_MICRO_USD = 50_000n;

/** The trade for this input; null if the fees consume the input. @returns {Trade | null} */
export function tradeOfInput(
  /** @type {Token} */ tokenIn,
  /** @type {Token} */ tokenOut,
  /** @type {bigint} */ amountIn,
  /** @type {Bps} */ bps,
) {
  const fees = feesOf(tokenIn, tokenOut, amountIn, bps);
  const net = amountIn - fees.relayerGas - fees.relayerService - fees.app;
  const amountOut = swapped(net, tokenIn, tokenOut);
  const isTiny =
    tokenIn.chainId === tokenOut.chainId && worth(amountIn, tokenIn) < SAME_CHAIN_LEAST_MICRO_USD;
  return amountOut <= 0n || isTiny ? null : { tokenIn, tokenOut, amountIn, amountOut, fees };
}

/** The trade that delivers exactly this amount; null for an amount of zero. @returns {Trade | null} */
export function tradeOfOutput(
  /** @type {Token} */ tokenIn,
  /** @type {Token} */ tokenOut,
  /** @type {bigint} */ amountOut,
  /** @type {Bps} */ bps,
) {
  const { relayerGas } = feesOf(tokenIn, tokenOut, 0n, bps);
  const net = swapped(amountOut, tokenOut, tokenIn) + relayerGas;
  const amountIn = (net * ALL_BPS) / (ALL_BPS - bps.appBps - bps.serviceBps) + 1n;
  const fees = feesOf(tokenIn, tokenOut, amountIn, bps);
  return amountOut === 0n ? null : { tokenIn, tokenOut, amountIn, amountOut, fees };
}

/** @returns {Fees} */
function feesOf(
  /** @type {Token} */ tokenIn,
  /** @type {Token} */ tokenOut,
  /** @type {bigint} */ amountIn,
  /** @type {Bps} */ { appBps, serviceBps },
) {
  return {
    gas: knownChain(tokenIn.chainId).gas,
    relayerGas: rawFor(knownChain(tokenOut.chainId).fillMicroUsd, tokenIn),
    relayerService: (amountIn * serviceBps) / ALL_BPS,
    app: (amountIn * appBps) / ALL_BPS,
  };
}
