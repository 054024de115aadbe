const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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

/** A length of time in at most two units: `12 s`, `4 min`, `2 h 10 min`, `3 days`. */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.round(length / SECOND)} s`;
  if (length < 10 * MINUTE) return twoUnits(length, MINUTE, 'min', SECOND, 's');
  if (length < HOUR) return `${Math.round(length / MINUTE)} min`;
  if (length < DAY) return twoUnits(length, HOUR, 'h', MINUTE, 'min');
  if (length < 2 * DAY) return twoUnits(length, DAY, 'day', HOUR, 'h');
  return `${Math.round(length / DAY)} days`;
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

/** `in 48 s`; `now` for a past time. */
export function until(instant: string | number, now: number): string {
  const ms = new Date(instant).getTime() - now;
  return ms < SECOND ? 'now' : `in ${duration(ms)}`;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const wholes = Math.floor(ms / large);
  const rest = Math.floor((ms - wholes * large) / small);
  return rest === 0 ? `${wholes} ${largeName}` : `${wholes} ${largeName} ${rest} ${smallName}`;
}
