import { addressKey } from '../../../domain/payment/address-key.ts';
import { matchOf } from './deposit-match.ts';
import type { KeptQuote } from '../quote/kept-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { phaseOf } from './request-phase.ts';

/** The request of a lost quote; null when Relay lists none yet. Or why what it lists may be another payment's. */
export type OwnRequest = { readonly request: RelayRequest | null } | { readonly doubt: string };

/**
 * Finds a lost quote's request among Relay's. Its time is known from nowhere else, so that anything that may be another
 * payment on the same address is a doubt: a second request for the same, or one from before. Deposits of another amount are
 * re-quoted later under new ids, and belong to the quote.
 */
export function ownRequestOf(kept: KeptQuote, rows: readonly RelayRequest[]): OwnRequest {
  const here = rows.filter((row) => isOnAddress(row, kept));
  if (here.some((row) => !mayBeFor(row, kept)))
    return { doubt: 'What Relay has on its deposit address is another payment.' };
  const [only] = here;
  if (only === undefined) return { request: null };
  if (here.length === 1 && only.quoted === null && phaseOf(only) === 'awaiting') return { request: only };
  const successors = new Set(rows.map(({ supersededBy }) => supersededBy));
  const [own, ...others] = here.filter((row) => isQuotedAs(row, kept) && !successors.has(row.id));
  if (own === undefined)
    return { doubt: 'Nothing that Relay has on its deposit address was quoted as it was.' };
  if (others.length > 0) return { doubt: 'Several requests on its deposit address were quoted as it was.' };
  if (here.some((row) => timeOf(row) < timeOf(own)))
    return { doubt: 'Its deposit address was used for another payment before.' };
  return { request: own };
}

function isOnAddress({ depositAddress }: RelayRequest, kept: KeptQuote): boolean {
  return depositAddress !== null && addressKey(depositAddress.address) === addressKey(kept.depositAddress);
}

/** What a row does not say stands against nothing. */
function mayBeFor({ recipient }: RelayRequest, kept: KeptQuote): boolean {
  return recipient === null || addressKey(recipient) === addressKey(kept.recipient);
}

/** The same recipient, and the same amount of the same token on the same chain. */
function isQuotedAs({ recipient, quoted }: RelayRequest, kept: KeptQuote): boolean {
  return recipient !== null && matchOf(kept, quoted) === 'exact';
}

/** A request of an unknown time may be from before. */
function timeOf({ createdAt }: RelayRequest): number {
  return createdAt?.getTime() ?? Number.NEGATIVE_INFINITY;
}
