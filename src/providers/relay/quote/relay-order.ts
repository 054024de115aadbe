import type { QuoteRequest } from '../../../domain/payment/quote.ts';
import { ProviderRefused } from '../../../ports/payment-provider.ts';
import { toRaw } from '../../shared/raw-amount.ts';
import { payableAt, relayAddress, type PayableToken, type RelayChain } from '../catalog/parse-chains.ts';
import { formatOn, isWalletAddress } from '../../shared/vm-addresses.ts';

/** A quote request in Relay's terms, checked as far as possible before it is sent to Relay. */
export interface QuoteOrder {
  readonly from: { readonly chain: RelayChain; readonly token: PayableToken };
  /** `address` in Relay's form. */
  readonly to: { readonly chain: RelayChain; readonly address: string };
  /** The amount to send, as digits in the smallest unit. */
  readonly amount: string;
  readonly recipient: string;
}

/** Throws ProviderRefused with the field at fault. */
export function readOrder(request: QuoteRequest, chains: ReadonlyMap<number, RelayChain>): QuoteOrder {
  const fromChain = readChain(request, 'fromChainId', chains);
  const toChain = readChain(request, 'toChainId', chains);
  const token = readFromToken(request.fromToken, fromChain);
  const address = relayAddress(toChain, request.toToken);
  if (address === null) throw refused(`The native token of ${toChain.name} can't be received.`, 'toToken');
  refuseRecipient(request.recipient, toChain);
  return {
    from: { chain: fromChain, token },
    to: { chain: toChain, address },
    amount: toRaw(request.amount, token),
    recipient: request.recipient,
  };
}

function readChain(
  request: QuoteRequest,
  field: 'fromChainId' | 'toChainId',
  chains: ReadonlyMap<number, RelayChain>,
): RelayChain {
  const chain = chains.get(request[field]);
  if (chain !== undefined && chain.payable.length > 0) return chain;
  throw refused(
    `The chain ${request[field]} can't be used now: GET /api/chains lists those that can.`,
    field,
  );
}

function readFromToken(address: string, chain: RelayChain): PayableToken {
  const token = payableAt(chain, address);
  if (token !== null) return token;
  const symbols = [...new Set(chain.payable.map(({ symbol }) => symbol))].join(', ');
  throw refused(
    `This token can't be paid with on ${chain.name}. A deposit address there takes ${symbols}.`,
    'fromToken',
  );
}

function refuseRecipient(recipient: string, { name, vmType }: RelayChain): void {
  if (isWalletAddress(recipient, vmType)) return;
  const format = formatOn(vmType);
  const hint = format === null ? '' : ` It should be ${format}.`;
  throw refused(`The recipient is not a wallet address on ${name}.${hint}`, 'recipient');
}

function refused(message: string, field: string): ProviderRefused {
  return new ProviderRefused(422, message, field);
}
