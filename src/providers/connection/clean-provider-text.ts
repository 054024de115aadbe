import { printable } from '../../domain/text/printable.ts';

const MAX_LENGTH = 300;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

/**
 * Returns a provider's text as one printable line of at most 300 characters, without `secret`: some providers repeat the key.
 */
export function cleanProviderText(text: string, secret: string | null): string {
  const redacted = secret === null ? text : spellings(secret).reduce(withoutSpelling, text);
  const line = printable(redacted.slice(0, 2 * MAX_LENGTH), ' ').trim();
  return line.slice(0, MAX_LENGTH).replace(HALF_A_CHARACTER, '');
}

/** The secret, and its spelling in a URL; the longest first, since one spelling may contain another. */
function spellings(secret: string): string[] {
  const inQuery = new URLSearchParams({ '': secret }).toString().slice(1);
  return [inQuery, encodeURIComponent(secret), encodeURI(secret), secret];
}

function withoutSpelling(text: string, spelling: string): string {
  return text.replaceAll(spelling, '***');
}
