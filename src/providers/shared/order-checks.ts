import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { ProviderRefused } from '../../ports/payment-provider.ts';
import { formatOn, isWalletAddress } from './vm-addresses.ts';

const REFUSED = 422;

/** Where addresses of one form are used. */
interface Place {
  readonly name: string;
  readonly vmType: string;
}

export function refused(message: string, field: string | null): ProviderRefused {
  return new ProviderRefused(REFUSED, message, field);
}

export function unusableChain(chainId: number, field: 'fromChainId' | 'toChainId'): ProviderRefused {
  return refused(`The chain ${chainId} cannot be used now: GET /api/chains lists those that can.`, field);
}

/** Throws ProviderRefused with the field `recipient`. */
export function refuseRecipient(recipient: string, chain: Place): void {
  refuseWallet('recipient', recipient, chain);
}

/** Throws ProviderRefused with the field `refundTo`. */
export function refuseRefund(refundTo: string, chain: Place): void {
  refuseWallet('refundTo', refundTo, chain);
}

/** The request's refund address, or else the one of the settings. Throws ProviderRefused with the field `refundTo`. */
export function refundAddress(
  { refundTo }: Pick<QuoteRequest, 'refundTo'>,
  chain: Place,
  { inSettings, setting }: { readonly inSettings: string | null | undefined; readonly setting: string },
): string {
  if (refundTo !== undefined) {
    refuseRefund(refundTo, chain);
    return refundTo;
  }
  if (inSettings) return inSettings;
  throw refused(
    `Payments from ${chain.name} need a refund address there: send refundTo, or set ${setting}=${chain.vmType}:….`,
    'refundTo',
  );
}

function refuseWallet(field: 'recipient' | 'refundTo', address: string, { name, vmType }: Place): void {
  if (isWalletAddress(address, vmType)) return;
  const format = formatOn(vmType);
  const hint = format === null ? '' : ` It should be ${format}.`;
  throw refused(`The ${field} is not a wallet address on ${name}.${hint}`, field);
}

/** The meaning of an error without a code, by its words, and the field of the request at fault. */
export interface Meaning {
  readonly pattern: RegExp;
  readonly words: string;
  readonly field: string | null;
}

export function meaningOf(message: string, meanings: readonly Meaning[]): Omit<Meaning, 'pattern'> {
  const known = meanings.find(({ pattern }) => pattern.test(message));
  return known ?? { words: 'The payment provider refused this.', field: null };
}
