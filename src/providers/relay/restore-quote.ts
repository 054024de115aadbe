import { isAmount } from '../../domain/payment/amount.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';
import { ProviderRefused, type StatusAnswer } from '../../ports/payment-provider.ts';
import { addressKey } from './address-key.ts';
import { fieldsOf, readWord, type Fields } from './fields.ts';
import { readDecimals, toRaw } from './quote/raw-amount.ts';
import { UNLISTED, type RelayQuote, type RouteToken } from './quote/relay-quote.ts';
import { readChainId, readText } from './relay-values.ts';
import { AddressTaken, type RelayStore } from './relay-store.ts';
import type { RelayRequest } from './status/relay-request.ts';
import type { StatusQueries } from './status/status-queries.ts';

/** The part of a lost quote that its quote object holds. */
type KeptQuote = Pick<RelayQuote, 'quoteId' | 'depositAddress' | 'from' | 'to' | 'amount' | 'recipient'>;

export interface RestoreSources {
  readonly store: Pick<RelayStore, 'add' | 'find'>;
  readonly queries: Pick<StatusQueries, 'send' | 'splitOf'>;
  readonly now: Date;
  readonly ttlSeconds: number;
  /** Called with the requests beyond the one for the status. */
  readonly onExtraRequests: (requests: number) => void;
}

const REFUSED_HTTP_STATUS = 422;

/**
 * Stores a quote again that was lost, from the quote object that the merchant kept and Relay's requests on its deposit
 * address. Null: its status can be asked for; else what stands against it.
 */
export async function restoreQuote(
  from: RestoreSources,
  quoteId: string,
  quoteText: string,
): Promise<StatusAnswer | null> {
  if (!isQuoteId(quoteId) || (await from.store.find([quoteId])).has(quoteId)) return null;
  const kept = readKept(quoteId, fieldsOf(JSON.parse(quoteText)));
  if (kept === null) return refused('The quote lacks a part that its status needs.');
  const [wanted] = from.queries.splitOf({ by: 'depositAddress', values: [kept.depositAddress] });
  from.onExtraRequests(1);
  const page = wanted === undefined ? 'form_refused' : await from.queries.send(wanted, null, null);
  if (page === 'form_refused')
    return { kind: 'unavailable', reason: 'form refused', retryAfterMs: null, httpStatus: null };
  if (page.kind !== 'page') return page;
  const rows = page.rows.filter((row) => isOnAddress(row, kept));
  if (rows.some((row) => !isOfQuote(row, kept)))
    return refused('What Relay has on its deposit address is another payment.');
  return add(from, kept, oldestOf(rows));
}

async function add(
  { store, now, ttlSeconds }: RestoreSources,
  kept: KeptQuote,
  row: RelayRequest | undefined,
): Promise<StatusAnswer | null> {
  const createdAt = row?.createdAt ?? now;
  const expiresAt = new Date(createdAt.getTime() + ttlSeconds * 1_000);
  try {
    await store.add({ ...kept, requestId: row?.id ?? `${UNLISTED}${kept.quoteId}`, createdAt, expiresAt });
    return null;
  } catch (error) {
    if (!(error instanceof AddressTaken)) throw error;
    return refused('Its deposit address belongs to another payment.');
  }
}

function readKept(quoteId: string, quote: Fields): KeptQuote | null {
  const [send, receive] = [fieldsOf(quote['send']), fieldsOf(quote['receive'])];
  const [from, to] = [readToken(send), readToken(receive)];
  const [depositAddress, recipient] = [readText(send['depositAddress']), readText(quote['recipient'])];
  if (from === null || to === null || depositAddress === null || recipient === null) return null;
  const amount = readAmount(send['amount'], from);
  return amount === null ? null : { quoteId, depositAddress, from, to, amount, recipient };
}

function readToken(side: Fields): RouteToken | null {
  const [chain, token] = [fieldsOf(side['chain']), fieldsOf(side['token'])];
  const [chainId, address] = [readChainId(chain['id']), readText(token['address'])];
  const decimals = readDecimals(token['decimals']);
  if (chainId === null || address === null || decimals === null) return null;
  const chainName = readWord(chain['name']) ?? String(chainId);
  return { chainId, chainName, address, symbol: readWord(token['symbol']) ?? address, decimals };
}

function readAmount(amount: unknown, token: RouteToken): string | null {
  if (!isAmount(amount)) return null;
  try {
    return toRaw(amount, token);
  } catch (error) {
    if (error instanceof ProviderRefused) return null;
    throw error;
  }
}

function isOnAddress({ depositAddress }: RelayRequest, kept: KeptQuote): boolean {
  return depositAddress !== null && addressKey(depositAddress.address) === addressKey(kept.depositAddress);
}

/** What a row does not say stands against nothing. */
function isOfQuote({ recipient }: RelayRequest, kept: KeptQuote): boolean {
  return recipient === null || addressKey(recipient) === addressKey(kept.recipient);
}

function oldestOf(rows: readonly RelayRequest[]): RelayRequest | undefined {
  return rows.toSorted((a, b) => timeOf(a) - timeOf(b))[0];
}

function timeOf({ createdAt }: RelayRequest): number {
  return createdAt?.getTime() ?? Number.POSITIVE_INFINITY;
}

function refused(message: string): StatusAnswer {
  return { kind: 'refused', httpStatus: REFUSED_HTTP_STATUS, message };
}
