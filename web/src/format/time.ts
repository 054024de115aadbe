import { duration } from '../../../src/domain/story/words.ts';

export { duration, until } from '../../../src/domain/story/words.ts';

const SECOND = 1_000;

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DATE_AND_CLOCK = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const FULL_DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** The local time: without the date if it is today, without the seconds otherwise. */
export function localTime(instant: string | number, now: number = Date.now()): string {
  const at = new Date(instant);
  const today = new Date(now);
  if (at.toDateString() === today.toDateString()) return CLOCK.format(at);
  return at.getFullYear() === today.getFullYear() ? DATE_AND_CLOCK.format(at) : FULL_DATE.format(at);
}

/** `2026-11-23 10:02:11.123 UTC`. */
export function utcTime(instant: string | number): string {
  return `${new Date(instant).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** A duration: `31 ms`, `1.20 s`, then as `duration`. */
export function took(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  return ms < 10 * SECOND ? `${(ms / SECOND).toFixed(2)} s` : duration(ms);
}

export function ago(instant: string | number, now: number): string {
  const ms = now - new Date(instant).getTime();
  return ms < 2 * SECOND ? 'just now' : `${duration(ms)} ago`;
}
