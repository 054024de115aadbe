const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a W3C Trace Context header `traceparent` of version 00; null: it is not valid and is ignored. */
export function readTraceparent(header: unknown): string | null {
  const [, version, traceId, spanId, flags, more] = (typeof header === 'string' && FORM.exec(header)) || [];
  // Only a later version may have more fields.
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  return `00-${traceId}-${spanId}-${flags}`;
}
