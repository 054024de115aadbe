const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;
/** `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`. */
const WITH_ZONE = new RegExp(
  String.raw`^[a-z]{3,9}, (?<day>\d\d?)[ -](?<month>[a-z]{3})[ -](?<year>\d{4}|\d\d) ${TIME} (?:GMT|UTC)$`,
  'i',
);
/** `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = new RegExp(
  String.raw`^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`,
  'i',
);
/** A two-digit year is at most this many years in the future (RFC 9110). */
const YEARS_AHEAD = 50;

/** The wait in milliseconds that `Retry-After` asks for, in seconds or as a date; null when it is missing or unreadable. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = (header ?? '').trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const waitMs = parseHttpDate(text, now) - now.getTime();
  return Number.isNaN(waitMs) ? null : Math.max(waitMs, 0);
}

/**
 * Parses the three forms of RFC 9110, section 5.6.7, all in UTC: Date.parse would take the last one as local time. NaN for
 * other text.
 */
function parseHttpDate(text: string, now: Date): number {
  const {
    year = '',
    month = '',
    day,
    hour,
    minute,
    second,
  } = (WITH_ZONE.exec(text) ?? ASCTIME.exec(text))?.groups ?? {};
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex === -1) return Number.NaN;
  const fullYear = year.length === 2 ? nearestYear(Number(year), now) : Number(year);
  return Date.UTC(fullYear, monthIndex, Number(day), Number(hour), Number(minute), Number(second));
}

function nearestYear(lastDigits: number, now: Date): number {
  const first = now.getUTCFullYear() + YEARS_AHEAD - 99;
  return first + ((lastDigits - first + 100_000) % 100);
}
