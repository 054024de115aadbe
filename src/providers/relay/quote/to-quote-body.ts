import { refundAddress } from '../../shared/order-checks.ts';
import type { QuoteOrder } from './relay-order.ts';
import { refundToDepositorOn, placeholderPayerOn } from '../../shared/vm-addresses.ts';

export interface QuoteRequestOptions {
  /** The refund address by the origin chain's vmType. Without an entry Relay refunds the depositor, on machines where it can. */
  readonly refundTo: ReadonlyMap<string, string>;
  readonly appFees: readonly { readonly recipient: string; readonly bps: string }[];
  readonly referrer: string | null;
}

/**
 * The body of `POST /quote/v2`. `isDry`: for a price alone, without a deposit address. Throws ProviderRefused when no refund is
 * possible on the origin chain: without a refund address Relay keeps the money of a payment that it could not deliver.
 */
export function toQuoteBody(order: QuoteOrder, options: QuoteRequestOptions, isDry = false): object {
  const { from, to, amount, isExactOutput, recipient } = order;
  const { vmType } = from.chain;
  const inSettings = options.refundTo.get(vmType) ?? refundToDepositorOn(vmType);
  const refundTo = refundAddress(order, from.chain, { inSettings, setting: 'RELAY_REFUND_TO' });
  const appFees = options.appFees.map((fee) => ({ recipient: fee.recipient, fee: fee.bps }));
  // No `ttl`: it ends at the delivery, so that Relay would refund a late deposit, less gas. Without it Relay delivers it.
  return {
    // The payer is not known yet, but Relay requires a valid address of the origin chain.
    user: placeholderPayerOn(vmType) ?? refundTo,
    recipient,
    originChainId: from.chain.id,
    originCurrency: from.token.address,
    destinationChainId: to.chain.id,
    destinationCurrency: to.address,
    amount,
    tradeType: isExactOutput ? 'EXACT_OUTPUT' : 'EXACT_INPUT',
    // When Relay honours `strict`, no other payment gets this deposit address.
    ...(isDry ? {} : { useDepositAddress: true, strict: true, refundTo }),
    ...(appFees.length === 0 ? {} : { appFees }),
    ...(options.referrer === null ? {} : { referrer: options.referrer }),
  };
}
