const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A duration that is shorter than this many of a unit is said in the next smaller unit. */
const FROM = 2;

/** A rounded duration, as `40 s`, `7 min` or `3 h`. */
export function inWords(ms: number): string {
  if (ms < FROM * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  if (ms < FROM * HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return `${Math.round(ms / HOUR_MS)} h`;
}
