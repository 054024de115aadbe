import { isAmount } from '../../../domain/payment/amount.ts';
import { ProviderRefused } from '../../../ports/payment-provider.ts';
import { fieldsOf, readWord, type Fields } from '../../shared/fields.ts';
import { readChainId, readText } from '../relay-values.ts';
import { readDecimals, toRaw } from '../../shared/raw-amount.ts';
import type { RouteToken } from '../../shared/spec-status.ts';
import type { RelayQuote } from './relay-quote.ts';

/** The part of a quote that its quote object holds, which the merchant kept. */
export type KeptQuote = Pick<
  RelayQuote,
  'quoteId' | 'depositAddress' | 'from' | 'to' | 'amount' | 'recipient'
>;

const REFUSED_HTTP_STATUS = 422;

/** Reads a quote object of ours. Throws ProviderRefused, which names the first field that its status needs and that it lacks. */
export function readKeptQuote(quoteId: string, quote: Fields): KeptQuote {
  const [send, receive] = [fieldsOf(quote['send']), fieldsOf(quote['receive'])];
  const from = readToken(send, 'quote.send');
  return {
    quoteId,
    depositAddress: readText(send['depositAddress']) ?? missing('quote.send.depositAddress'),
    from,
    to: readToken(receive, 'quote.receive'),
    amount: readAmount(send['amount'], from),
    recipient: readText(quote['recipient']) ?? missing('quote.recipient'),
  };
}

function readToken(side: Fields, field: string): RouteToken {
  const [chain, token] = [fieldsOf(side['chain']), fieldsOf(side['token'])];
  const chainId = readChainId(chain['id']) ?? missing(`${field}.chain.id`);
  const address = readText(token['address']) ?? missing(`${field}.token.address`);
  const decimals = readDecimals(token['decimals']) ?? missing(`${field}.token.decimals`);
  const chainName = readWord(chain['name']) ?? String(chainId);
  return { chainId, chainName, address, symbol: readWord(token['symbol']) ?? address, decimals };
}

function readAmount(amount: unknown, token: RouteToken): string {
  if (!isAmount(amount)) return missing('quote.send.amount');
  try {
    return toRaw(amount, token);
  } catch (error) {
    if (error instanceof ProviderRefused) return missing('quote.send.amount');
    throw error;
  }
}

function missing(field: string): never {
  throw new ProviderRefused(REFUSED_HTTP_STATUS, `${field} must be as the quote was answered.`, field);
}
