import { isAmount } from '../../domain/payment/amount.ts';
import { ProviderRefused, type LostQuote, type StatusAnswer } from '../../ports/payment-provider.ts';
import { addressKey } from '../../domain/chains/address-key.ts';
import { fieldsOf, readChainId, readText, readWord, type Fields } from './fields.ts';
import { PlaceTaken } from './quote-store.ts';
import { readDecimals, toRaw } from './raw-amount.ts';
import type { RoutedQuote, RouteToken } from './spec-status.ts';

/** The part of a quote that is in its quote object, which the merchant kept. */
export interface KeptQuote extends Omit<RoutedQuote, 'createdAt' | 'expiresAt'> {
  /** The address in exactly the form that the payer saw. */
  readonly depositAddress: string;
}

const REFUSED_HTTP_STATUS = 422;

/** Reads a quote object of ours. Throws ProviderRefused, which names the first missing field that the status needs. */
export function readKeptQuote(quoteId: string, quote: Fields): KeptQuote {
  const [send, receive] = [fieldsOf(quote['send']), fieldsOf(quote['receive'])];
  const [from, to] = [readToken(send, 'quote.send'), readToken(receive, 'quote.receive')];
  const { minimumAmount } = receive;
  return {
    quoteId,
    depositAddress: readText(send['depositAddress']) ?? missing('quote.send.depositAddress'),
    from,
    to,
    amount: readAmount(send['amount'], from, 'quote.send.amount'),
    minAmountOut:
      minimumAmount === undefined ? null : readAmount(minimumAmount, to, 'quote.receive.minimumAmount'),
    recipient: readText(quote['recipient']) ?? missing('quote.recipient'),
  };
}

/** The store of a provider's quotes; `add` throws PlaceTaken when another quote has the place. */
export interface LostPlaces<T> {
  readonly add: (quote: T) => Promise<void>;
  readonly find: (quoteIds: readonly string[]) => Promise<ReadonlyMap<string, { depositAddress: string }>>;
}

/** A lost quote that the provider still has on its deposit address. */
export abstract class LostOnAddress<T> implements LostQuote {
  extraRequests = 0;
  /** The quote as the last status has confirmed it. */
  protected confirmed: T | null = null;

  constructor(
    private readonly places: LostPlaces<T>,
    protected readonly kept: KeptQuote,
  ) {}

  abstract readStatus(): Promise<StatusAnswer>;

  async keep(): Promise<void> {
    if (this.confirmed === null) return;
    const { add, find } = this.places;
    const { quoteId, depositAddress } = this.kept;
    try {
      await add(this.confirmed);
    } catch (error) {
      if (!(error instanceof PlaceTaken)) throw error;
      // Two concurrent requests may have submitted the same quote.
      const stored = (await find([quoteId])).get(quoteId);
      if (stored !== undefined && addressKey(stored.depositAddress) === addressKey(depositAddress)) return;
      throw new ProviderRefused(REFUSED_HTTP_STATUS, 'Its deposit address belongs to another payment.');
    }
  }

  /** The provider's answer does not confirm the quote. */
  protected doubt(message: string): StatusAnswer {
    return { kind: 'refused', httpStatus: REFUSED_HTTP_STATUS, message };
  }
}

function readToken(side: Fields, field: string): RouteToken {
  const [chain, token] = [fieldsOf(side['chain']), fieldsOf(side['token'])];
  const chainId = readChainId(chain['id']) ?? missing(`${field}.chain.id`);
  const address = readText(token['address']) ?? missing(`${field}.token.address`);
  const decimals = readDecimals(token['decimals']) ?? missing(`${field}.token.decimals`);
  const chainName = readWord(chain['name']) ?? String(chainId);
  return { chainId, chainName, address, symbol: readWord(token['symbol']) ?? address, decimals };
}

function readAmount(amount: unknown, token: RouteToken, field: string): string {
  if (!isAmount(amount)) return missing(field);
  try {
    return toRaw(amount, token);
  } catch (error) {
    if (error instanceof ProviderRefused) return missing(field);
    throw error;
  }
}

function missing(field: string): never {
  throw new ProviderRefused(REFUSED_HTTP_STATUS, `${field} must be as the quote was answered.`, field);
}
