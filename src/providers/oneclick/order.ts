import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { refundAddress, refused, refuseRecipient, unusableChain } from '../shared/order-checks.ts';
import { toRaw } from '../shared/raw-amount.ts';
import { type Asset, assetAt, type Assets } from './assets.ts';

/** A quote request in 1Click's terms, checked as far as is possible without asking 1Click. */
export interface Order {
  readonly from: Asset;
  readonly to: Asset;
  /** Digits in the smallest unit of the origin token; of the destination token where the output is exact. */
  readonly amount: string;
  readonly isExactOutput: boolean;
  readonly recipient: string;
  /** Where 1Click sends back what it does not deliver. */
  readonly refundTo: string;
}

/** Refund addresses by the origin chain's `vmType`. */
export type RefundTo = ReadonlyMap<string, string>;

/** Chains whose deposit address is shared by everybody: a memo tells payers apart. */
const MEMO_CHAINS: ReadonlySet<string> = new Set(['stellar']);

export function needsMemo({ chain }: Asset): boolean {
  return MEMO_CHAINS.has(chain.vmType);
}

/** Throws ProviderRefused with the field at fault. */
export function readOrder(request: QuoteRequest, assets: Assets, refundTo: RefundTo): Order {
  const from = readAsset(request, 'from', assets);
  const to = readAsset(request, 'to', assets);
  refuseRecipient(request.recipient, to.chain);
  const isExactOutput = request.amountIs === 'receive';
  return {
    from,
    to,
    amount: toRaw(request.amount, isExactOutput ? to : from),
    isExactOutput,
    recipient: request.recipient,
    // Without one 1Click gives no quote: it would not know where to send money back to.
    refundTo: refundAddress(request, from.chain, {
      inSettings: refundTo.get(from.chain.vmType),
      setting: 'ONECLICK_REFUND_TO',
    }),
  };
}

function readAsset(request: QuoteRequest, side: 'from' | 'to', assets: Assets): Asset {
  return knownAsset(assets, request[`${side}ChainId`], request[`${side}Token`], side);
}

/** Throws ProviderRefused, which names what 1Click has there. */
export function knownAsset(assets: Assets, chainId: number, address: string, side: 'from' | 'to'): Asset {
  const asset = assetAt(assets, chainId, address);
  if (asset !== undefined) return asset;
  const there = assets.filter(({ chain }) => chain.id === chainId);
  const [first] = there;
  if (first === undefined) throw unusableChain(chainId, `${side}ChainId`);
  const symbols = [...new Set(there.map(({ symbol }) => symbol))].join(', ');
  throw refused(`This token is not at 1Click on ${first.chain.name}, which has ${symbols}.`, `${side}Token`);
}
