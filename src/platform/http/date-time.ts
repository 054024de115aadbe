const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Describes the accepted format, for validation messages. */
export const A_DATE_TIME = 'an ISO 8601 date, or date and time with its offset, such as 2026-11-20T12:00:00Z';

/** True for an ISO 8601 date, or date and time with its offset. Without an offset, the instant would depend on the time zone. */
export function isDateTime(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const day = DATE_TIME.exec(value)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  // Date.parse reads February 30 as March 2.
  return new Date(day).toISOString().startsWith(day);
}
