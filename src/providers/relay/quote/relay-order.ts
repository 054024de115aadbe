import type { QuoteRequest } from '../../../domain/payment/quote.ts';
import { refundAddress, refused, refuseRecipient, unusableChain } from '../../shared/order-checks.ts';
import type { AppFee } from '../../shared/quote-settings.ts';
import { toRaw } from '../../shared/raw-amount.ts';
import { placeholderPayerOn, refundToDepositorOn } from '../../shared/vm-addresses.ts';
import { payableAt, relayAddress, type PayableToken, type RelayChain } from '../catalog/parse-chains.ts';

/** A quote request in Relay's terms, checked as far as possible before it is sent to Relay. */
export interface QuoteOrder {
  readonly from: { readonly chain: RelayChain; readonly token: PayableToken };
  /** `address` in Relay's form. */
  readonly to: { readonly chain: RelayChain; readonly address: string };
  /** Digits in the smallest unit of the token to send; with an exact output, of the token to receive. */
  readonly amount: string;
  readonly isExactOutput: boolean;
  readonly recipient: string;
  /** Left out: the address of the settings is used. */
  readonly refundTo?: string;
}

export interface QuoteRequestOptions {
  /** Refund addresses by the origin chain's vmType. Without an entry Relay refunds the depositor, where it can. */
  readonly refundTo: ReadonlyMap<string, string>;
  readonly appFees: readonly AppFee[];
}

/** Throws ProviderRefused, which names the faulty field. */
export function readOrder(request: QuoteRequest, chains: ReadonlyMap<number, RelayChain>): QuoteOrder {
  const fromChain = readChain(request, 'fromChainId', chains);
  const toChain = readChain(request, 'toChainId', chains);
  const token = readFromToken(request.fromToken, fromChain);
  const address = relayAddress(toChain, request.toToken);
  if (address === null) throw refused(`The native token of ${toChain.name} cannot be received.`, 'toToken');
  refuseRecipient(request.recipient, toChain);
  const isExactOutput = request.amountIs === 'receive';
  const received = payableAt(toChain, address);
  if (isExactOutput && received === null)
    throw refused(`An exact amount of this token cannot be received on ${toChain.name}.`, 'toToken');
  return {
    from: { chain: fromChain, token },
    to: { chain: toChain, address },
    amount: toRaw(request.amount, isExactOutput && received !== null ? received : token),
    isExactOutput,
    recipient: request.recipient,
    ...(request.refundTo === undefined ? {} : { refundTo: request.refundTo }),
  };
}

/**
 * The body of `POST /quote/v2`. `isDry`: the quote is only for a price, without a deposit address. Throws ProviderRefused when
 * no refund is possible on the origin chain: without a refund address Relay keeps the money of a payment that it could not
 * deliver.
 */
export function toQuoteBody(order: QuoteOrder, options: QuoteRequestOptions, isDry = false): object {
  const { from, to, amount, isExactOutput, recipient } = order;
  const { vmType } = from.chain;
  const inSettings = options.refundTo.get(vmType) ?? refundToDepositorOn(vmType);
  const refundTo = refundAddress(order, from.chain, { inSettings, setting: 'RELAY_REFUND_TO' });
  const appFees = options.appFees.map(({ recipient: payee, fee }) => ({
    recipient: payee,
    fee: String(fee),
  }));
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
  };
}

function readChain(
  request: QuoteRequest,
  field: 'fromChainId' | 'toChainId',
  chains: ReadonlyMap<number, RelayChain>,
): RelayChain {
  const chain = chains.get(request[field]);
  if (chain !== undefined && chain.payable.length > 0) return chain;
  throw unusableChain(request[field], field);
}

function readFromToken(address: string, chain: RelayChain): PayableToken {
  const token = payableAt(chain, address);
  if (token !== null) return token;
  const symbols = [...new Set(chain.payable.map(({ symbol }) => symbol))].join(', ');
  throw refused(
    `This token cannot be paid with on ${chain.name}. A deposit address there takes ${symbols}.`,
    'fromToken',
  );
}
