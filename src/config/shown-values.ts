import { isIP } from 'node:net';

const MAX_ECHO = 20;

/** Quotes the beginning of a refused value; the whole value may be a secret in the wrong variable. */
export function echo(value: string): string {
  return `"${value.length > MAX_ECHO ? `${value.slice(0, MAX_ECHO)}…` : value}"`;
}

/** An example of a valid range; for a single address, that address with its mask. */
export function rangeLike(word: string): string {
  const version = word.includes('%') ? 0 : isIP(word);
  return version === 0 ? '10.0.0.0/8' : `${word}/${version === 4 ? 32 : 128}`;
}
