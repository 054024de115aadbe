import { fieldsOf, listOf, readWord, type Fields, readText } from '../../shared/fields.ts';
import { failedCheck, failedPriceCheck, type QuoteParts } from './quote-checks.ts';
import { readFees, readUsd, type QuoteFees } from './quote-fees.ts';
import type { QuoteOrder } from './relay-order.ts';
import { fromRaw, readDecimals, readRaw } from '../../shared/raw-amount.ts';
import { isNative, type RelayChain } from '../catalog/parse-chains.ts';
import { type QuotedToken, readSeconds } from '../../shared/spec-quote.ts';
import { shownAddress, ZERO_ADDRESS } from '../../shared/vm-addresses.ts';

/** Relay's offer after all checks. Amounts are in the smallest unit. */
export interface Offer {
  readonly requestId: string;
  readonly depositAddress: string;
  readonly from: QuotedToken;
  readonly to: QuotedToken;
  /** The amount that the payer sends. */
  readonly sendAmount: bigint;
  readonly receiveAmount: bigint;
  /** A smaller delivery is incomplete; null when Relay does not state it. */
  readonly minReceiveAmount: bigint | null;
  /** A decimal string; null when Relay does not state it. */
  readonly receiveUsd: string | null;
  readonly fees: QuoteFees;
  /** Whole seconds; null when Relay does not state it. */
  readonly estimateSeconds: number | null;
  readonly steps: number;
}

export type ParsedQuote =
  | { readonly kind: 'offer'; readonly offer: Offer }
  /** The quote differs from the order, or is unreadable: its deposit address must not be shown. */
  | { readonly kind: 'unsafe'; readonly check: string };

/** Parses the response of `POST /quote/v2` and checks it against the order. Never throws. */
export function parseRelayQuote(value: unknown, order: QuoteOrder): ParsedQuote {
  const quote = fieldsOf(value);
  const parts = partsOf(quote);
  const { requestId, depositAddress, currencyIn, currencyOut } = parts;
  const check = failedCheck(parts, order);
  const to = tokenOf(currencyOut, order.to.chain, order.to.address, null);
  const from = tokenOf(currencyIn, order.from.chain, order.from.token.address, order.from.token.decimals);
  if (check !== null || requestId === null || depositAddress === null || to === null || from === null) {
    return { kind: 'unsafe', check: check ?? 'quote' };
  }
  const offer: Offer = {
    requestId,
    depositAddress,
    from,
    to,
    sendAmount: readRaw(currencyIn['amount']) ?? 0n,
    receiveAmount: readRaw(currencyOut['amount']) ?? 0n,
    minReceiveAmount: minimumOf(currencyOut),
    receiveUsd: readUsd(currencyOut['amountUsd']),
    fees: readFees(quote, parts.details),
    estimateSeconds: readSeconds(parts.details['timeEstimate']),
    steps: parts.steps.length,
  };
  return { kind: 'offer', offer };
}

export type ParsedEstimate =
  | { readonly kind: 'estimate'; readonly amount: string }
  | Extract<ParsedQuote, { kind: 'unsafe' }>;

/** Parses a quote without a deposit address; `amount` is the amount that the recipient would get. Never throws. */
export function parseEstimate(value: unknown, order: QuoteOrder): ParsedEstimate {
  const parts = partsOf(fieldsOf(value));
  const { currencyOut } = parts;
  const check = failedPriceCheck(parts, order);
  const to = tokenOf(currencyOut, order.to.chain, order.to.address, null);
  if (check !== null || to === null) return { kind: 'unsafe', check: check ?? 'quote' };
  return { kind: 'estimate', amount: fromRaw(readRaw(currencyOut['amount']) ?? 0n, to.decimals) };
}

/** Relay never promises more than it estimates. */
function minimumOf(currencyOut: Fields): bigint | null {
  const [minimum, estimate] = [readRaw(currencyOut['minimumAmount']), readRaw(currencyOut['amount'])];
  if (minimum === null || minimum <= 0n || estimate === null) return null;
  return minimum < estimate ? minimum : estimate;
}

function partsOf(quote: Fields): QuoteParts {
  const steps = listOf(quote['steps']);
  const first = fieldsOf(steps[0]);
  const details = fieldsOf(quote['details']);
  return {
    // Parsed like the id in a status row, so that the two are comparable.
    requestId: readText(quote['requestId']) ?? readText(first['requestId']),
    depositAddress: readWord(first['depositAddress']),
    steps,
    details,
    currencyIn: fieldsOf(details['currencyIn']),
    currencyOut: fieldsOf(details['currencyOut']),
    outputPayments: outputPaymentsOf(quote),
  };
}

/** A value that is not a list counts as one unreadable payment. */
function outputPaymentsOf(quote: Fields): readonly unknown[] | null {
  const order = fieldsOf(fieldsOf(fieldsOf(quote['protocol'])['v2'])['orderData']);
  const payments = fieldsOf(order['output'])['payments'];
  if (payments === undefined || payments === null) return null;
  return Array.isArray(payments) ? payments : [payments];
}

function tokenOf(
  amount: Fields,
  chain: RelayChain,
  address: string,
  known: number | null,
): QuotedToken | null {
  const currency = fieldsOf(amount['currency']);
  const decimals = known ?? readDecimals(currency['decimals']);
  if (decimals === null) return null;
  const shown = isNative(chain, address) ? ZERO_ADDRESS : shownAddress(address, chain.vmType);
  const symbol = readWord(currency['symbol']) ?? shown;
  return { address: shown, symbol, name: readWord(currency['name']) ?? symbol, decimals };
}
