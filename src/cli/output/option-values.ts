import { InvalidArgumentError } from 'commander';

import { urlFault } from '../../domain/text/url-fault.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DATE_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Parsers of option values; each throws the message that Commander prints beside the option. */

/** An instant, or how long ago it was by this machine's clock: the ISO text. */
export function instant(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * (UNIT_MS[unit] ?? 0)).toISOString();
  if (!DATE_TIME.test(text) || Number.isNaN(Date.parse(text)) || !isDay(text.slice(0, 10)))
    throw new InvalidArgumentError('It is no time such as 2h, 7d, 2026-11-20 or 2026-11-20T12:00:00Z.');
  return new Date(text).toISOString();
}

/** Date.parse reads 31 February as 3 March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}

export function httpUrl(text: string): string {
  const isHttp = /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
  if (!isHttp) throw new InvalidArgumentError('It is no http:// or https:// URL.');
  const { username, password } = new URL(text);
  if (username !== '' || password !== '')
    throw new InvalidArgumentError('It has a user or a password, which are not sent.');
  const fault = urlFault(new URL(text));
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`);
  return text.replace(/\/+$/, '');
}

export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is no whole number above 0.');
  return Number(text);
}

/** `NAME=VALUE`, added to those before. */
export function pair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is not NAME=VALUE.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
