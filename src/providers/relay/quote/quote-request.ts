import { ProviderRefused } from '../../../ports/payment-provider.ts';
import type { QuoteOrder } from './relay-order.ts';
import type { RelayChain } from '../catalog/parse-chains.ts';
import { depositorOn, nobodyOn } from '../vm-addresses.ts';

export interface QuoteRequestOptions {
  /** Where refunds go, by the origin chain's vmType; without an entry they go to whoever deposited, where Relay can. */
  readonly refundTo: ReadonlyMap<string, string>;
  readonly appFees: readonly { readonly recipient: string; readonly bps: string }[];
  readonly referrer: string | null;
}

/** The body of `POST /quote/v2`. Throws ProviderRefused where nobody on the origin chain could be refunded. */
export function quoteBody(order: QuoteOrder, options: QuoteRequestOptions): object {
  const { from, to, amount, recipient } = order;
  const refundTo = refundAddressOn(from.chain, options);
  const appFees = options.appFees.map((fee) => ({ recipient: fee.recipient, fee: fee.bps }));
  // No `ttl`: it counts to the delivery, and a payer who is late would be refunded, less gas. Without it he is delivered.
  return {
    // Who will pay is not known yet; Relay wants a valid address of the origin chain all the same.
    user: nobodyOn(from.chain.vmType) ?? refundTo,
    recipient,
    originChainId: from.chain.id,
    originCurrency: from.token.address,
    destinationChainId: to.chain.id,
    destinationCurrency: to.address,
    amount,
    tradeType: 'EXACT_INPUT',
    useDepositAddress: true,
    // Relay may ignore it; where it does not, the address is this payment's alone.
    strict: true,
    refundTo,
    ...(appFees.length === 0 ? {} : { appFees }),
    ...(options.referrer === null ? {} : { referrer: options.referrer }),
  };
}

/** Without one Relay refunds nobody by itself, and what could not be delivered would stay where it is. */
function refundAddressOn({ name, vmType }: RelayChain, { refundTo }: QuoteRequestOptions): string {
  const address = refundTo.get(vmType) ?? depositorOn(vmType);
  if (address !== null) return address;
  throw new ProviderRefused(
    422,
    `Payments from ${name} are not possible: this service has no refund address there.`,
    'fromChainId',
  );
}
