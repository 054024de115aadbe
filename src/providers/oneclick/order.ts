import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { ProviderRefused } from '../../ports/payment-provider.ts';
import { toRaw } from '../shared/raw-amount.ts';
import { formatOn, isWalletAddress } from '../shared/vm-addresses.ts';
import { type Asset, assetAt, type Assets, assetsOn } from './assets.ts';

/** A quote request in 1Click's terms, checked as far as is possible without asking 1Click. */
export interface Order {
  readonly from: Asset;
  readonly to: Asset;
  /** Digits in the smallest unit of the origin token. */
  readonly amount: string;
  readonly recipient: string;
  /** Where 1Click sends back what it does not deliver. */
  readonly refundTo: string;
}

/** Refund addresses by the origin chain's `vmType`. */
export type RefundTo = ReadonlyMap<string, string>;

const REFUSED = 422;
/** Chains whose deposit address is shared by everybody: a memo tells payers apart. */
const MEMO_CHAINS: ReadonlySet<string> = new Set(['stellar']);

export function needsMemo({ chain }: Asset): boolean {
  return MEMO_CHAINS.has(chain.vmType);
}

/** Throws ProviderRefused with the field at fault. */
export function readOrder(request: QuoteRequest, assets: Assets, refundTo: RefundTo): Order {
  const from = readAsset(request, 'from', assets);
  const to = readAsset(request, 'to', assets);
  refuseRecipient(request.recipient, to);
  return {
    from,
    to,
    amount: toRaw(request.amount, from),
    recipient: request.recipient,
    refundTo: readRefundTo(from, refundTo),
  };
}

function readAsset(request: QuoteRequest, side: 'from' | 'to', assets: Assets): Asset {
  const chainId = request[`${side}ChainId`];
  const asset = assetAt(assets, chainId, request[`${side}Token`]);
  if (asset !== undefined) return asset;
  const there = assetsOn(assets, chainId);
  const [first] = there;
  if (first === undefined)
    throw refused(
      `The chain ${chainId} can't be used now: GET /api/chains lists those that can.`,
      `${side}ChainId`,
    );
  const symbols = [...new Set(there.map(({ symbol }) => symbol))].join(', ');
  throw refused(`This token is not at 1Click on ${first.chain.name}, which has ${symbols}.`, `${side}Token`);
}

function refuseRecipient(recipient: string, { chain }: Asset): void {
  if (isWalletAddress(recipient, chain.vmType)) return;
  const format = formatOn(chain.vmType);
  const hint = format === null ? '' : ` It should be ${format}.`;
  throw refused(`The recipient is not a wallet address on ${chain.name}.${hint}`, 'recipient');
}

/** Without one 1Click gives no quote: it would not know where to send money back to. */
function readRefundTo({ chain }: Asset, refundTo: RefundTo): string {
  const address = refundTo.get(chain.vmType);
  if (address !== undefined) return address;
  throw refused(
    `Payments from ${chain.name} are not possible: this service has no refund address there (ONECLICK_REFUND_TO=${chain.vmType}:…).`,
    'fromChainId',
  );
}

function refused(message: string, field: string): ProviderRefused {
  return new ProviderRefused(REFUSED, message, field);
}
