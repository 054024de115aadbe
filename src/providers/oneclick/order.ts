import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { readAsset } from '../shared/listed-assets.ts';
import { refundAddress, refuseRecipient } from '../shared/order-checks.ts';
import { toRaw } from '../shared/raw-amount.ts';
import type { Asset, Assets } from './assets.ts';

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

/** Its name in sentences. */
export const TITLE = '1Click';
/** Chains whose deposit address is shared by everybody: a memo tells payers apart. */
const MEMO_CHAINS: ReadonlySet<string> = new Set(['stellar']);

export function needsMemo({ chain }: Asset): boolean {
  return MEMO_CHAINS.has(chain.vmType);
}

/** Throws ProviderRefused with the field at fault. */
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
    // Without one 1Click gives no quote: it would not know where to send money back to.
    refundTo: refundAddress(request, from.chain, {
      inSettings: refundTo.get(from.chain.vmType),
      setting: 'ONECLICK_REFUND_TO',
    }),
  };
}
