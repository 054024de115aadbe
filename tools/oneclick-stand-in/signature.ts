import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

import { base58 } from '@scure/base';

type Json = Readonly<Record<string, unknown>>;

const SEED_BYTES = 32;
/** The bytes before a 32-byte seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD_BYTES = 12;
const OF_REQUEST = [
  'dry', 'swapType', 'slippageTolerance', 'originAsset', 'depositType', 'destinationAsset', 'amount', 'refundTo',
  'refundType', 'recipient', 'recipientType', 'deadline',
] as const; // prettier-ignore
const OF_REQUEST_IF_ANY = [
  'quoteWaitingTimeMs', 'referral', 'virtualChainRecipient', 'virtualChainRefundRecipient', 'customRecipientMsg',
] as const; // prettier-ignore
const OF_QUOTE = [
  'amountIn', 'amountInFormatted', 'amountInUsd', 'minAmountIn', 'amountOut', 'amountOutFormatted', 'amountOutUsd',
  'minAmountOut',
] as const; // prettier-ignore
const OF_REAL_QUOTE = [
  'depositAddress', 'depositMemo', 'deadline', 'timeWhenInactive', 'timeEstimate', 'virtualChainRecipient',
  'virtualChainRefundRecipient', 'customRecipientMsg', 'refundFee', 'withdrawFee',
] as const; // prettier-ignore

/** Signs quotes by section 8 of the fact sheet. */
export class QuoteSigner {
  private readonly key: KeyObject;

  /** `seedByte`: the seed is 32 times this byte. The test vector of the fact sheet has 7. */
  constructor(seedByte = 7) {
    const der = Buffer.concat([PKCS8_HEAD, Buffer.alloc(SEED_BYTES, seedByte)]);
    this.key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  }

  /** `ed25519:` and 32 bytes in base58, in the form of the adapter's setting. */
  get publicKey(): string {
    const spki = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    return `ed25519:${base58.encode(spki.subarray(SPKI_HEAD_BYTES))}`;
  }

  sign(quoteRequest: Json, quote: Json, timestamp: string): string {
    const message = base58.encode(
      createHash('sha256')
        .update(canonical(quoteRequest, quote, timestamp))
        .digest(),
    );
    return `ed25519:${base58.encode(sign(null, Buffer.from(message), this.key))}`;
  }
}

/** One flat object with sorted keys. */
export function canonical(quoteRequest: Json, quote: Json, timestamp: string): string {
  const signed: Record<string, unknown> = { timestamp };
  for (const name of OF_REQUEST) signed[name] = quoteRequest[name];
  for (const name of OF_REQUEST_IF_ANY) if (quoteRequest[name]) signed[name] = quoteRequest[name];
  for (const name of OF_QUOTE) signed[name] = quote[name];
  if (quoteRequest['dry'] === false)
    for (const name of OF_REAL_QUOTE) {
      if (quote[name]) signed[name] = quote[name];
      else delete signed[name];
    }
  return JSON.stringify(Object.fromEntries(Object.entries(signed).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}
