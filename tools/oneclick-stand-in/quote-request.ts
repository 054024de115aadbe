import { isAddress } from '../stand-in/addresses.js';
import { type Asset, assetOf, chainOf } from './assets.ts';

type Json = Readonly<Record<string, unknown>>;

export type SwapType = 'EXACT_INPUT' | 'EXACT_OUTPUT' | 'FLEX_INPUT';

/** A request that fits the schema. */
export interface QuoteRequest {
  readonly dry: boolean;
  readonly swapType: SwapType;
  readonly slippageTolerance: number;
  readonly originAsset: string;
  readonly depositType: 'ORIGIN_CHAIN';
  readonly destinationAsset: string;
  readonly amount: string;
  readonly refundTo: string;
  readonly refundType: 'ORIGIN_CHAIN' | 'INTENTS';
  readonly recipient: string;
  readonly recipientType: 'DESTINATION_CHAIN';
  readonly deadline: string;
  readonly depositMode?: 'SIMPLE' | 'MEMO';
  readonly quoteWaitingTimeMs?: number;
  readonly referral?: string;
  readonly appFees?: readonly { readonly recipient: string; readonly fee: number }[];
}

export interface ReadRequest {
  readonly request: QuoteRequest;
  readonly origin: Asset;
  readonly destination: Asset;
}

const SWAP_TYPES: ReadonlySet<unknown> = new Set(['EXACT_INPUT', 'EXACT_OUTPUT', 'FLEX_INPUT']);
const TEXTS = ['originAsset', 'destinationAsset', 'amount', 'refundTo', 'recipient', 'deadline'] as const;
const INTENTS_ACCOUNT = /^([0-9a-f]{64}|0x[0-9a-f]{40}|[a-z0-9._-]+\.near)$/;

/** The faults of the request as messages, or the request with its assets. */
export function readQuoteRequest(body: Json, now: number): ReadRequest | readonly string[] | string {
  const faults = [
    ...(typeof body['dry'] === 'boolean' ? [] : ['dry must be a boolean value']),
    ...TEXTS.filter((name) => typeof body[name] !== 'string' || body[name] === '').map(
      (name) => `${name} should not be empty`,
    ),
    ...(Number.isInteger(body['slippageTolerance']) ? [] : ['slippageTolerance must be an integer number']),
    ...(SWAP_TYPES.has(body['swapType']) ? [] : ['swapType must be one of the following values']),
    ...(body['depositType'] === 'ORIGIN_CHAIN' ? [] : ['depositType is not supported here']),
    ...(body['recipientType'] === 'DESTINATION_CHAIN' ? [] : ['recipientType is not supported here']),
  ];
  if (faults.length > 0) return faults;
  const request = body as unknown as QuoteRequest;
  if (!/^\d+$/.test(request.amount)) return ['amount must be a number string'];
  const deadline = Date.parse(request.deadline);
  if (!Number.isFinite(deadline)) return ['deadline must be a valid ISO 8601 date string'];
  if (deadline <= now) return 'deadline must be in the future';
  return withAssets(request);
}

function withAssets(request: QuoteRequest): ReadRequest | string {
  const origin = assetOf(request.originAsset);
  const destination = assetOf(request.destinationAsset);
  if (origin === undefined) return 'tokenIn is not valid';
  if (destination === undefined) return 'tokenOut is not valid';
  if (!isAddress(request.recipient, chainOf(destination).form)) return 'recipient is not valid';
  const isRefundable =
    request.refundType === 'INTENTS'
      ? INTENTS_ACCOUNT.test(request.refundTo)
      : isAddress(request.refundTo, chainOf(origin).form);
  if (!isRefundable) return 'refundTo is not valid';
  if (chainOf(origin).needsMemo === true && request.depositMode !== 'MEMO')
    return `Incorrect depositMode for originAsset from ${origin.blockchain} chain`;
  return { request, origin, destination };
}
