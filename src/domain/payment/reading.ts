/** Tolerant readers of values from outside. None of them throws. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the spec's unix seconds, and also milliseconds, numeric strings and ISO 8601. */
export function readInstant(value: unknown): Date | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number > 0) {
    return validDate(new Date(number < 1e11 ? number * 1000 : number));
  }
  return typeof value === 'string' ? validDate(new Date(value)) : null;
}

function validDate(date: Date): Date | null {
  const year = date.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? date : null;
}

/** True for an id that fits a path segment, a message header and a log line without escaping. */
export function isQuoteId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$/.test(id);
}
