import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

import { base58 } from '@scure/base';

import type { Fields } from '../shared/fields.ts';

const PREFIX = 'ed25519:';
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The bytes before a 32-byte key in its X.509 form (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const OF_REQUEST = [
  'dry',
  'swapType',
  'slippageTolerance',
  'originAsset',
  'depositType',
  'destinationAsset',
  'amount',
  'refundTo',
  'refundType',
  'recipient',
  'recipientType',
  'deadline',
] as const;
const OF_REQUEST_UNLESS_EMPTY = [
  'quoteWaitingTimeMs',
  'referral',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
] as const;
const OF_QUOTE = [
  'amountIn',
  'amountInFormatted',
  'amountInUsd',
  'minAmountIn',
  'amountOut',
  'amountOutFormatted',
  'amountOutUsd',
  'minAmountOut',
] as const;
/** The members that a quote with a deposit address adds to the request's for the signature. */
const OF_REAL_QUOTE = [
  'depositAddress',
  'depositMemo',
  'deadline',
  'timeWhenInactive',
  'timeEstimate',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
  'refundFee',
  'withdrawFee',
] as const;

/** A quote as 1Click returned it. */
export interface SignedQuote {
  readonly quoteRequest: Fields;
  readonly quote: Fields;
  readonly timestamp: unknown;
  readonly signature: unknown;
}

/** Reads `ed25519:` and 32 bytes in base58; null for any other text. */
export function readQuoteKey(text: string): KeyObject | null {
  const bytes = decoded(text, KEY_BYTES);
  if (bytes === null) return null;
  return createPublicKey({ key: Buffer.concat([SPKI_HEAD, bytes]), format: 'der', type: 'spki' });
}

/**
 * Whether 1Click has signed the facts that decide about the money: amounts, addresses, tokens and times. Fees are not signed.
 */
export function isSigned(signed: SignedQuote, key: KeyObject): boolean {
  const bytes = typeof signed.signature === 'string' ? decoded(signed.signature, SIGNATURE_BYTES) : null;
  if (bytes === null) return false;
  const digest = createHash('sha256').update(canonical(signed)).digest();
  return verify(null, Buffer.from(base58.encode(digest)), key, bytes);
}

/** One flat object with sorted names, without members that lack a value. */
function canonical({ quoteRequest, quote, timestamp }: SignedQuote): string {
  const members = new Map<string, unknown>([['timestamp', timestamp]]);
  for (const name of OF_REQUEST) members.set(name, quoteRequest[name]);
  for (const name of OF_REQUEST_UNLESS_EMPTY) if (quoteRequest[name]) members.set(name, quoteRequest[name]);
  for (const name of OF_QUOTE) members.set(name, quote[name]);
  if (quoteRequest['dry'] === false)
    for (const name of OF_REAL_QUOTE) {
      if (quote[name]) members.set(name, quote[name]);
      else members.delete(name);
    }
  return JSON.stringify(
    Object.fromEntries([...members].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  );
}

function decoded(text: string, length: number): Uint8Array | null {
  if (!text.startsWith(PREFIX)) return null;
  try {
    const bytes = base58.decode(text.slice(PREFIX.length));
    return bytes.length === length ? bytes : null;
  } catch {
    return null;
  }
}
