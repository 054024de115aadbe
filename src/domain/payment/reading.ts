/** Tolerant readers of values from outside. None of them throws. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; no fields for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The fields of an object's JSON text. */
export function readFields(text: string | null): Fields {
  try {
    return fieldsOf(text === null ? null : JSON.parse(text));
  } catch {
    return {};
  }
}

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
const IN_A_ZONE = /^\d{4}-\d\d-\d\d$|(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i;

/**
 * Reads the spec's unix seconds, but also milliseconds, numeric strings and ISO 8601, which is UTC where it names no zone.
 */
export function readInstant(value: unknown): Date | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number > 0) {
    return validDate(new Date(number < 1e11 ? number * 1000 : number));
  }
  return typeof value === 'string' ? readDate(value) : null;
}

/** Date would read a time without a zone as one of the process's own zone. */
function readDate(value: string): Date | null {
  const text = WITHOUT_ZONE.test(value) ? `${value}Z` : value;
  return IN_A_ZONE.test(text) ? validDate(new Date(text)) : null;
}

function validDate(date: Date): Date | null {
  const year = date.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? date : null;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** A key that is equal for two spellings of one id: in a UUID letter case is ignored, in other ids it counts. */
export function quoteIdKey(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** An id with its other spellings: in lower case and in upper case. An id that is no UUID has only one spelling. */
export function spellingsOf(id: string): string[] {
  return UUID.test(id) ? [...new Set([id, id.toLowerCase(), id.toUpperCase()])] : [id];
}

/** True for an id that fits a path segment, a message header and a log line without escaping. */
export function isQuoteId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$/.test(id);
}
