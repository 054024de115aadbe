import { ProviderRefused } from '../../../ports/payment-provider.ts';
import type { QuoteOrder } from './relay-order.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import { refundToDepositorOn, placeholderPayerOn } from '../../shared/vm-addresses.ts';

export interface QuoteRequestOptions {
  /** The refund address by the origin chain's vmType. Without an entry Relay refunds the depositor, on machines where it can. */
  readonly refundTo: ReadonlyMap<string, string>;
  readonly appFees: readonly { readonly recipient: string; readonly bps: string }[];
  readonly referrer: string | null;
}

/** The body of `POST /quote/v2`. Throws ProviderRefused when no refund is possible on the origin chain. */
export function toQuoteBody(order: QuoteOrder, options: QuoteRequestOptions): object {
  const { from, to, amount, recipient } = order;
  const refundTo = refundAddressOn(from.chain, options);
  const appFees = options.appFees.map((fee) => ({ recipient: fee.recipient, fee: fee.bps }));
  // No `ttl`: it ends at the delivery, so that Relay would refund a late deposit, less gas. Without it Relay delivers it.
  return {
    // The payer is not known yet, but Relay requires a valid address of the origin chain.
    user: placeholderPayerOn(from.chain.vmType) ?? refundTo,
    recipient,
    originChainId: from.chain.id,
    originCurrency: from.token.address,
    destinationChainId: to.chain.id,
    destinationCurrency: to.address,
    amount,
    tradeType: 'EXACT_INPUT',
    useDepositAddress: true,
    // When Relay honours it, no other payment gets this deposit address.
    strict: true,
    refundTo,
    ...(appFees.length === 0 ? {} : { appFees }),
    ...(options.referrer === null ? {} : { referrer: options.referrer }),
  };
}

/** Without a refund address Relay keeps the money of a payment that it could not deliver. */
function refundAddressOn({ name, vmType }: RelayChain, { refundTo }: QuoteRequestOptions): string {
  const address = refundTo.get(vmType) ?? refundToDepositorOn(vmType);
  if (address !== null) return address;
  throw new ProviderRefused(
    422,
    `Payments from ${name} are not possible: this service has no refund address there.`,
    'fromChainId',
  );
}
