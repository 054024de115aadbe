import { isIP } from 'node:net';

const MAX_ECHO = 20;

/** A refused value in quotes: no more than its beginning, since it may be a secret in the wrong variable. */
export function echo(value: string): string {
  return `"${value.length > MAX_ECHO ? `${value.slice(0, MAX_ECHO)}…` : value}"`;
}

/** An address range to write instead of `word`: a lone address lacks only its mask. */
export function rangeLike(word: string): string {
  const version = word.includes('%') ? 0 : isIP(word);
  return version === 0 ? '10.0.0.0/8' : `${word}/${version === 4 ? 32 : 128}`;
}
