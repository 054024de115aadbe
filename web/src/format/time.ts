import { duration, until } from '../../../src/domain/story/words.ts';
import { zonedTime } from '../../../src/domain/story/when.ts';

export { duration, until };

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

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

/** The form on hover: the time in its zone, as the command line has it, and the same to the millisecond in UTC. */
export function exactTime(instant: string | number): string {
  const zoned = zonedTime(instant);
  return zoned.endsWith(' UTC') ? utcTime(instant) : `${zoned}\n${utcTime(instant)}`;
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

/** `12 s ago`; beyond a day `23 Nov, 10:02`. */
export function ago(instant: string | number, now: number): string {
  const ms = now - new Date(instant).getTime();
  if (ms >= DAY) return localTime(instant, now);
  return ms < 2 * SECOND ? 'just now' : `${duration(ms)} ago`;
}

/** `in 48 s`; beyond a day `on 23 Nov, 10:02`; `now` for a past time. */
export function dueTime(instant: string | number, now: number): string {
  const isFar = new Date(instant).getTime() - now >= DAY;
  return isFar ? `on ${localTime(instant, now)}` : until(instant, now);
}
