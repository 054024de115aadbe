import { readWords } from './fields.ts';
import { fromRaw } from './raw-amount.ts';
import type { StoredQuote } from './quote-store.ts';

type Json = Readonly<Record<string, unknown>>;

/** A token on one side of a route; `address` in the spec's form: the zero address for a native token. */
export interface RouteToken {
  readonly chainId: number;
  readonly chainName: string;
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** The fields of the quote that a status repeats. */
export interface RoutedQuote extends StoredQuote {
  readonly from: RouteToken;
  readonly to: RouteToken;
  /** The amount to send, as digits in the smallest unit. */
  readonly amount: string;
  /**
   * The least amount to receive that counts as complete, as digits in the smallest unit; null: the quote does not state it.
   */
  readonly minAmountOut: string | null;
  readonly recipient: string;
}

/**
 * A provider may never report that a quote has expired. After our own expiry, a deposit of the last second has this long to
 * be seen.
 */
const EXPIRY_GRACE_MS = 5_000;
export const NO_EXECUTION = { startedAt: null, completedAt: null, outputTxHash: null, steps: [] };

export function unpaidStatus({ expiresAt }: StoredQuote, now: Date): 'EXPIRED' | 'AWAITING_DEPOSIT' {
  return now.getTime() >= expiresAt.getTime() + EXPIRY_GRACE_MS ? 'EXPIRED' : 'AWAITING_DEPOSIT';
}

/** A status's `deposit`: the amount that came, and whether it is enough; below `least` nothing is delivered. */
export function depositPart(
  { from, amount }: RoutedQuote,
  { paid, txHash, least = BigInt(amount) }: { paid: bigint | null; txHash: unknown; least?: bigint },
): Json {
  const match =
    paid === null ? null : paid < least ? 'underpaid' : paid > BigInt(amount) ? 'overpaid' : 'exact';
  return {
    txHash,
    amount: paid === null ? null : fromRaw(paid, from.decimals),
    amountRaw: paid?.toString() ?? null,
    expectedAmount: fromRaw(amount, from.decimals),
    expectedAmountRaw: amount,
    token: from.address,
    match,
  };
}

/** An amount of a token in a report; null: not stated. */
export function amountIn(raw: bigint | null, { decimals, address }: RouteToken): Json {
  const amount = raw === null ? null : fromRaw(raw, decimals);
  return { amount, amountRaw: raw?.toString() ?? null, token: address };
}

const MAX_WORD_LENGTH = 80;

/** A provider's own status; null: there is none. */
export function readStatusWord(value: unknown): string | null {
  return readWords(value, MAX_WORD_LENGTH);
}

/** An unknown status in the spec's form, with a prefix that none of the spec's statuses has: the state machine reports it. */
export function unknownStatus(prefix: string, word: string): string {
  return [prefix, ...(word.toUpperCase().match(/[A-Z\d]+/g) ?? [])].join('_');
}

/**
 * The spec's Payment status object as JSON text: `parts` stand between the quote's times and its route, `ends` after the
 * route.
 */
export function statusText(quote: RoutedQuote, status: string, parts: Json, ends: Json): string {
  const { quoteId, createdAt, expiresAt, from, to, amount, recipient } = quote;
  return JSON.stringify({
    success: true,
    quoteId,
    status,
    createdAt: unixSeconds(createdAt),
    expiresAt: unixSeconds(expiresAt),
    ...parts,
    route: { from: routeEnd(from), to: routeEnd(to), amount, recipient },
    ...ends,
  });
}

function routeEnd({ chainId, chainName, address }: RouteToken): Json {
  return { chainId, chainName, token: address };
}

/** The spec's timestamps: whole unix seconds. */
function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}

export function unixSecondsOrNull(instant: Date | null | undefined): number | null {
  return instant === null || instant === undefined ? null : unixSeconds(instant);
}
