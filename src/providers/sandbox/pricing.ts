import { toUnits } from '../../domain/payment/amount.ts';
import type { Chain } from './sandbox-chains.ts';
import { nativeTokenOf, type Token } from './sandbox-tokens.ts';

/** USD amounts are whole millionths; prices have eight decimals. */
export const USD_DECIMALS = 6;
const PRICE_DECIMALS = 8;
const APP_FEE_BPS = 50n;
const RELAYER_FEE_BPS = 5n;
const ALL_BPS = 10_000n;

export interface Fee {
  /** The amount in the smallest unit of `token`. */
  readonly units: bigint;
  readonly token: Token;
  readonly usd: bigint;
}

export interface Price {
  readonly sendUsd: bigint;
  readonly gas: Fee;
  readonly relayer: Fee;
  readonly app: Fee;
  readonly totalUsd: bigint;
  /** The amount left for the recipient, in the smallest unit of the token; 0 when the fees take everything. */
  readonly receiveUnits: bigint;
  readonly receiveUsd: bigint;
}

export interface Leg {
  readonly chain: Chain;
  readonly token: Token;
}

/** Prices a payment in integer arithmetic: rounds fees up and the received amount down. */
export function priceOf(from: Leg, to: Leg, units: bigint): Price {
  const gas = gasFee(from.chain);
  const relayer = shareFee(from.token, units, RELAYER_FEE_BPS, gasFee(to.chain).usd);
  const app = shareFee(from.token, units, APP_FEE_BPS, 0n);
  const totalUsd = gas.usd + relayer.usd + app.usd;
  const receiveUnits = unitsLeft(from.token, to.token, units, totalUsd);
  return {
    sendUsd: worth(from.token, units),
    gas,
    relayer,
    app,
    totalUsd,
    receiveUnits,
    receiveUsd: worth(to.token, receiveUnits),
  };
}

/** The gas of the deposit on the payer's chain; the relayer's fee covers the delivery on the recipient's chain. */
function gasFee(chain: Chain): Fee {
  const token = nativeTokenOf(chain.id);
  const units = toUnits(chain.gasAmount, token.decimals);
  return { units, token, usd: divideUp(units * priceUnits(token), usdScale(token)) };
}

function shareFee(token: Token, units: bigint, bps: bigint, onTopUsd: bigint): Fee {
  const shareUsd = divideUp(units * priceUnits(token) * bps, usdScale(token) * ALL_BPS);
  const usd = shareUsd + onTopUsd;
  return { units: divideUp(usd * usdScale(token), priceUnits(token)), token, usd };
}

function unitsLeft(from: Token, to: Token, units: bigint, feesUsd: bigint): bigint {
  const left = units * priceUnits(from) - feesUsd * usdScale(from);
  if (left <= 0n) return 0n;
  return (left * 10n ** BigInt(to.decimals)) / (10n ** BigInt(from.decimals) * priceUnits(to));
}

function worth(token: Token, units: bigint): bigint {
  return (units * priceUnits(token)) / usdScale(token);
}

function priceUnits(token: Token): bigint {
  return toUnits(token.priceUsd, PRICE_DECIMALS);
}

/** Smallest units times price, divided by this, are millionths of a USD. */
function usdScale(token: Token): bigint {
  return 10n ** BigInt(token.decimals + PRICE_DECIMALS - USD_DECIMALS);
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
