import { randomUUID } from 'node:crypto';

import { formatted, usd } from './amounts.ts';
import type { Asset } from './assets.ts';
import { depositedOf, type Order } from './order.ts';

type Json = Record<string, unknown>;

/** Fields of a request that a status does not repeat. */
const NOT_REPEATED = new Set(['quoteWaitingTimeMs', 'insured', 'sessionId']);

/** The answer of `GET /v0/status` and of `POST /v0/deposit/submit`. */
export function statusObject(order: Order): unknown {
  const { life, signature, createdAt, answer } = order;
  const echo = Object.entries(answer.quoteRequest).filter(([name]) => !NOT_REPEATED.has(name));
  const body = {
    status: life.status,
    updatedAt: new Date(life.updatedAt).toISOString(),
    correlationId: randomUUID(),
    swapDetails: swapDetails(order),
    quoteResponse: {
      timestamp: new Date(createdAt).toISOString(),
      signature,
      quoteRequest: {
        ...Object.fromEntries(echo),
        virtualChainRecipient: null,
        virtualChainRefundRecipient: null,
      },
      quote: answer.quote,
    },
  };
  return life.reshape === null ? body : life.reshape(body);
}

function swapDetails(order: Order): Json {
  const { life, terms, origin, destination } = order;
  const deposited = depositedOf(order);
  return {
    ...amounts('depositedAmount', deposited === 0n ? null : deposited, origin),
    intentHashes: life.intentHashes,
    nearTxHashes: life.nearHashes,
    ...amounts('amountIn', life.amountIn, origin),
    ...amounts('amountOut', life.amountOut, destination),
    slippage: life.amountOut === null ? null : 0,
    ...(life.refunded === 0n
      ? { refundedAmount: '0', refundedAmountFormatted: '0', refundedAmountUsd: '0' }
      : amounts('refundedAmount', life.refunded, origin)),
    refundReason: life.refundReason,
    refundFee: terms.refundFee.toString(),
    withdrawFee: terms.withdrawFee.toString(),
    originChainTxHashes: life.originHashes.map(linked),
    destinationChainTxHashes: life.destinationHashes.map(linked),
  };
}

function amounts(name: string, raw: bigint | null, asset: Asset): Json {
  return {
    [name]: raw?.toString() ?? null,
    [`${name}Formatted`]: raw === null ? null : formatted(raw, asset.decimals),
    [`${name}Usd`]: raw === null ? null : usd(raw, asset),
  };
}

function linked(hash: string): object {
  return { hash, explorerUrl: `https://explorer.example/tx/${hash}` };
}
