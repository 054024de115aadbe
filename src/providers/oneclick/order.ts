import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { readAsset } from '../shared/listed-assets.ts';
import { refundAddress, refuseRecipient } from '../shared/order-checks.ts';
import { toRaw } from '../shared/raw-amount.ts';
import type { Asset, Assets } from './assets.ts';

/** A quote request in 1Click's terms, checked as far as possible without asking 1Click. */
export interface Order {
  readonly from: Asset;
  readonly to: Asset;
  /** Digits in the smallest unit of the origin token; with an exact output, of the destination token. */
  readonly amount: string;
  readonly isExactOutput: boolean;
  readonly recipient: string;
  /** Where 1Click sends back an amount that it does not deliver. */
  readonly refundTo: string;
}

/** Refund addresses by the origin chain's `vmType`. */
export type RefundTo = ReadonlyMap<string, string>;

/** The provider's name in sentences. */
export const TITLE = '1Click';
/** Chains on which all payers share one deposit address, and a memo tells them apart. */
const MEMO_CHAINS: ReadonlySet<string> = new Set(['stellar']);

export function needsMemo({ chain }: Asset): boolean {
  return MEMO_CHAINS.has(chain.vmType);
}

/** Throws ProviderRefused, which names the faulty field. */
export function readOrder(request: QuoteRequest, assets: Assets, refundTo: RefundTo): Order {
  const from = readAsset(request, 'from', assets, TITLE);
  const to = readAsset(request, 'to', assets, TITLE);
  refuseRecipient(request.recipient, to.chain);
  const isExactOutput = request.amountIs === 'receive';
  return {
    from,
    to,
    amount: toRaw(request.amount, isExactOutput ? to : from),
    isExactOutput,
    recipient: request.recipient,
    // 1Click gives no quote without a refund address.
    refundTo: refundAddress(request, from.chain, {
      inSettings: refundTo.get(from.chain.vmType),
      setting: 'ONECLICK_REFUND_TO',
    }),
  };
}
