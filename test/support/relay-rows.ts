import type { RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import { parseRelayRequest, type RelayRequest } from '../../src/providers/relay/status/relay-request.ts';

type Json = Record<string, unknown>;

export const BASE = 8453;
export const ARBITRUM = 42161;
export const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
export const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
export const PAYER = '0x1111111111111111111111111111111111111111';
export const QUOTED_AT = new Date('2026-11-20T12:00:00.000Z');
/** The instant QUOTED_AT in the spec's unit. */
export const QUOTED_AT_S = QUOTED_AT.getTime() / 1000;

export function evmAddress(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

/** 25 USDC on Base to USDC on Arbitrum, good for 300 s. */
export function relayQuote(partial: Partial<RelayQuote> = {}): RelayQuote {
  return {
    quoteId: '5af8532c-5bf4-45c2-b099-1b36e96e91a3',
    requestId: `0x${'a1'.repeat(32)}`,
    depositAddress: '0xAbCd000000000000000000000000000000000001',
    from: { chainId: BASE, chainName: 'Base', address: USDC_ON_BASE, symbol: 'USDC', decimals: 6 },
    to: { chainId: ARBITRUM, chainName: 'Arbitrum', address: USDC_ON_ARBITRUM, symbol: 'USDC', decimals: 6 },
    amount: '25000000',
    minAmountOut: null,
    recipient: '0x2222222222222222222222222222222222222222',
    createdAt: QUOTED_AT,
    expiresAt: new Date(QUOTED_AT.getTime() + 300_000),
    ...partial,
  };
}

/** An amount in Relay's form, by default in USDC on Base. */
export function relayAmount(amount: unknown, currency: Json = {}): Json {
  return {
    amount,
    currency: { chainId: BASE, address: USDC_ON_BASE, symbol: 'USDC', decimals: 6, ...currency },
  };
}

/** A transaction in Relay's list, this many seconds after the quote. */
export function relayTransaction(txHash: string, chainId: number, afterS: number, partial: Json = {}): Json {
  return { txHash, chainId, timestamp: QUOTED_AT_S + afterS, status: 'success', ...partial };
}

/** A row of `/requests/v3` for a quote, with the data nested in the same way; by default unpaid. A success has its fill. */
export function relayRow(quote: RelayQuote, partial: Json = {}, data: Json = {}): Json {
  const isFilled = partial['status'] === 'success';
  const outTxs = isFilled ? [relayTransaction('0xfill', quote.to.chainId, 30)] : [];
  return {
    id: quote.requestId,
    status: 'waiting',
    user: '0x000000000000000000000000000000000000dEaD',
    sender: null,
    recipient: quote.recipient,
    refundTo: null,
    supersededByRequestId: null,
    depositAddress: { address: quote.depositAddress, type: 'strict', depositor: null, depositTxHash: null },
    requestType: 'Bridge',
    features: ['deposit_address'],
    createdAt: QUOTED_AT.toISOString(),
    updatedAt: QUOTED_AT.toISOString(),
    data: { failReason: null, refundFailReason: null, inTxs: [], outTxs, route: null, ...data },
    protocol: null,
    ...partial,
  };
}

/** The `depositAddress` of a row whose deposit Relay has seen. */
export function paidAddress(quote: RelayQuote, depositTxHash: string | null = '0xdeposit'): Json {
  return { address: quote.depositAddress, type: 'strict', depositor: PAYER, depositTxHash };
}

/** The `data.route` with the paid and the delivered amount. */
export function route(paid: Json | null, delivered: Json | null = null): Json {
  return {
    quoted: { origin: { inputCurrency: relayAmount('25000000') } },
    actual: { origin: { inputCurrency: paid }, destination: { outputCurrency: delivered } },
  };
}

export function readRow(row: Json): RelayRequest {
  const request = parseRelayRequest(row);
  if (request === null) throw new Error('not a row');
  return request;
}

/** The settings of the Relay provider in tests that are not about settings. */
export const RELAY_OPTIONS = {
  maxRpm: 200,
  maxQuotesRpm: 50,
  timeoutMs: 1_000,
  maxConcurrency: 4,
  refundTo: new Map<string, string>(),
  appFees: [],
  quoteTtlSeconds: 300,
  referrer: null,
};
