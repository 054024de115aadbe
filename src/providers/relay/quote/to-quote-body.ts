import { refundAddress } from '../../shared/order-checks.ts';
import type { QuoteOrder } from './relay-order.ts';
import { refundToDepositorOn, placeholderPayerOn } from '../../shared/vm-addresses.ts';

export interface QuoteRequestOptions {
  /**
   * Refund addresses by the origin chain's vmType. Without an entry Relay refunds the depositor, on machines where it can.
   */
  readonly refundTo: ReadonlyMap<string, string>;
  readonly appFees: readonly { readonly recipient: string; readonly bps: string }[];
  readonly referrer: string | null;
}

/**
 * The body of `POST /quote/v2`. `isDry`: only for a price, without a deposit address. Throws ProviderRefused when no refund
 * is possible on the origin chain: without a refund address Relay keeps the money of a payment that it could not deliver.
 */
export function toQuoteBody(order: QuoteOrder, options: QuoteRequestOptions, isDry = false): object {
  const { from, to, amount, isExactOutput, recipient } = order;
  const { vmType } = from.chain;
  const inSettings = options.refundTo.get(vmType) ?? refundToDepositorOn(vmType);
  const refundTo = refundAddress(order, from.chain, { inSettings, setting: 'RELAY_REFUND_TO' });
  const appFees = options.appFees.map((fee) => ({ recipient: fee.recipient, fee: fee.bps }));
  // Without `ttl`, Relay delivers a late deposit. A `ttl` would end at the delivery, so that Relay would refund it, less gas.
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
    // If Relay honours `strict`, no other payment gets this deposit address.
    ...(isDry ? {} : { useDepositAddress: true, strict: true, refundTo }),
    ...(appFees.length === 0 ? {} : { appFees }),
    ...(options.referrer === null ? {} : { referrer: options.referrer }),
  };
}
