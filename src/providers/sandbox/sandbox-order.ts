import { isAmount, toUnits, withDecimals } from '../../domain/payment/amount.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { ProviderRefused } from '../../ports/payment-provider.ts';
import { refuseRefund } from '../shared/order-checks.ts';
import { isWalletAddress } from '../shared/vm-addresses.ts';
import { chainOf, type Chain } from './sandbox-chains.ts';
import { priceOf, USD_DECIMALS, type Leg, type Price } from './pricing.ts';
import { tokenAt, type Token } from './sandbox-tokens.ts';

const MAX_USD = 1_000_000_000n;

/** A validated and priced quote request. */
export interface Order {
  readonly from: Leg;
  readonly to: Leg;
  /** The requested amount, digit by digit. */
  readonly amount: string;
  readonly recipient: string;
  readonly price: Price;
}

/** Throws ProviderRefused with the field at fault. */
export function readOrder(request: QuoteRequest): Order {
  const fromChain = readChain(request, 'fromChainId');
  const toChain = readChain(request, 'toChainId');
  const from: Leg = { chain: fromChain, token: readToken(request, 'fromToken', fromChain) };
  const to: Leg = { chain: toChain, token: readToken(request, 'toToken', toChain) };
  const units = readUnits(request.amount, from.token);
  refuseRecipient(request.recipient, toChain);
  if (request.refundTo !== undefined) refuseRefund(request.refundTo, fromChain);
  if (from.token === to.token)
    throw new ProviderRefused(422, 'Both sides are the same token on the same chain.', 'toToken');
  const price = priceOf(from, to, units);
  refuseSize(price, from.token);
  return { from, to, amount: request.amount, recipient: request.recipient, price };
}

function readChain(request: QuoteRequest, field: 'fromChainId' | 'toChainId'): Chain {
  const chain = chainOf(request[field]);
  if (chain === null) throw new ProviderRefused(400, `${field} is not a supported chain.`, field);
  return chain;
}

function readToken(request: QuoteRequest, field: 'fromToken' | 'toToken', chain: Chain): Token {
  const token = tokenAt(chain.id, request[field]);
  if (token === null)
    throw new ProviderRefused(400, `${field} is not a supported token on ${chain.name}.`, field);
  return token;
}

function readUnits(amount: string, token: Token): bigint {
  if (!isAmount(amount))
    throw new ProviderRefused(400, 'amount must be a positive decimal such as "25" or "0.01".', 'amount');
  if (withDecimals(amount, token.decimals) === null)
    throw new ProviderRefused(400, `${token.symbol} has only ${token.decimals} fraction digits.`, 'amount');
  return toUnits(amount, token.decimals);
}

function refuseRecipient(recipient: string, chain: Chain): void {
  if (isWalletAddress(recipient, chain.vmType)) return;
  throw new ProviderRefused(400, `recipient is not a wallet address on ${chain.name}.`, 'recipient');
}

function refuseSize(price: Price, token: Token): void {
  if (price.sendUsd > MAX_USD * 10n ** BigInt(USD_DECIMALS))
    throw new ProviderRefused(422, `amount is worth more than ${MAX_USD} USD.`, 'amount');
  if (price.receiveUnits <= 0n)
    throw new ProviderRefused(
      422,
      `amount is too small: the fees take all of the ${token.symbol}.`,
      'amount',
    );
}
