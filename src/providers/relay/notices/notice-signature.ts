import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The notice is not signed with one of our keys, or not within five minutes of now. */
export class InvalidSignature extends Error {
  readonly code = 'invalid_signature';
  constructor() {
    super('The notice is not signed with our key, or not within five minutes of now.');
  }
}

const WINDOW_MS = 300_000;
const TIMESTAMP = /^\d{1,16}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/i;
/** Relay's documents name no unit for its timestamps: below this number they are seconds, above it milliseconds. */
const FIRST_MS = 1e11;

/** Verifies the signature of Relay's notices: hex HMAC-SHA256 over `timestamp.body`, keyed with the API key itself. */
export class NoticeSignature {
  private readonly keys: readonly string[];

  /** `keys` holds two keys during a key rotation. */
  constructor(keys: readonly string[]) {
    this.keys = keys.filter((key) => key !== '');
    // With an empty key, any program can sign.
    if (this.keys.length === 0) throw new Error('A notice cannot be checked without a key.');
  }

  /** Verifies the exact bytes, in constant time. */
  isGood(headers: IncomingHttpHeaders, body: Uint8Array, now: Date): boolean {
    const { 'x-signature-timestamp': timestamp, 'x-signature-sha256': signature } = headers;
    if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return false;
    if (typeof signature !== 'string' || !SHA256_HEX.test(signature)) return false;
    if (Math.abs(now.getTime() - instantOf(timestamp)) > WINDOW_MS) return false;
    const given = Buffer.from(signature, 'hex');
    const matches = this.keys.map((key) => timingSafeEqual(given, signatureOf(key, timestamp, body)));
    return matches.includes(true);
  }
}

function signatureOf(key: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${timestamp}.`).update(body).digest();
}

function instantOf(timestamp: string): number {
  const number = Number(timestamp);
  return number < FIRST_MS ? number * 1_000 : number;
}
