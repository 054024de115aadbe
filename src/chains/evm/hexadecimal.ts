import { base58, hex } from '@scure/base';

const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;
const HASH_BYTES = 32;

/** A number in JSON-RPC's form; undefined for any other value. */
export function quantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : undefined;
}

/** The number of a block or of a log, or a number of seconds. */
export function smallQuantity(value: unknown): number | undefined {
  const number = Number(quantity(value) ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

export function hash(value: unknown): string | undefined {
  return typeof value === 'string' && HASH.test(value) ? value.toLowerCase() : undefined;
}

/** The hash of a transaction in any form that providers use: with or without `0x`, in any case, or in base58. */
export function namedHash(text: string): string | undefined {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim())?.[1];
  if (digits !== undefined) return `0x${digits.toLowerCase()}`;
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text.trim())) return undefined;
  const bytes = base58.decode(text.trim());
  return bytes.length === HASH_BYTES ? `0x${hex.encode(bytes)}` : undefined;
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value);
}

export function address(value: unknown): string | undefined {
  return isAddress(value) ? value.toLowerCase() : undefined;
}

/** The address in a topic of 32 bytes; undefined if the topic has more than an address. */
export function addressOfTopic(topic: unknown): string | undefined {
  const word = hash(topic);
  if (word === undefined || !/^0x0{24}/.test(word)) return undefined;
  return `0x${word.slice(-ADDRESS_DIGITS)}`;
}

export function topicOfAddress(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')}`;
}

/** The single 32-byte word of a log's data. */
export function word(value: unknown): bigint | undefined {
  return hash(value) === undefined ? undefined : BigInt(value as string);
}

export function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}
