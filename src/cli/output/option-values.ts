import { InvalidArgumentError } from 'commander';

/** How options are read that are more than a word; each throws what Commander reports beside the option. */

export function httpUrl(text: string): string {
  const isHttp = /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
  if (!isHttp) throw new InvalidArgumentError('It is no http:// or https:// URL.');
  return text.replace(/\/+$/, '');
}
