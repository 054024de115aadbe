import { printable } from '../../domain/text/printable.ts';
import { cleanObject, cleanText } from '../../platform/process/log-redaction.ts';
import { MAX_AUDIT_TEXT } from '../../ports/audit-log.ts';

const MAX_BYTES = 4_096;
/** The longest text of one field as JSON. */
const MAX_FIELD_LENGTH = 1_000;
const CUT = '…';
const REDACTED = '[redacted]';

/**
 * Selects the fields of a request that the audit log keeps: no secrets, and at most 4 kB. A field that is cut ends in `…`,
 * and is only `…` once there is no room left.
 */
export function auditValues(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(fields).map(([name, value]) => [name, shownOf(name, value)]);
  const clean = Object.entries(cleanObject(Object.fromEntries(shown) as object, false));
  let room = MAX_BYTES;
  return Object.fromEntries(
    clean.map(([name, value]) => {
      const text = JSON.stringify(value) ?? 'null';
      const isLong = text.length > MAX_FIELD_LENGTH;
      const kept = isLong ? `${text.slice(0, MAX_FIELD_LENGTH).toWellFormed()}${CUT}` : value;
      room -= Buffer.byteLength(isLong ? String(kept) : text);
      return [name, room < 0 ? CUT : kept];
    }),
  );
}

/** The id or name of the changed object, on one line and of bounded length. */
export function auditTarget(text: string): string {
  return printable(cleanText(text), '?').slice(0, MAX_AUDIT_TEXT).toWellFormed();
}

function shownOf(name: string, value: unknown): unknown {
  if (name === 'key') return REDACTED;
  return name === 'url' ? urlOf(value) : value;
}

/**
 * Leaves out userinfo and query, which often are an endpoint's credentials. The request is not validated yet: the value may
 * be no text.
 */
function urlOf(value: unknown): string {
  if (typeof value !== 'string' || !URL.canParse(value)) return '[not a URL]';
  const url = new URL(value);
  const query = url.search === '' ? '' : `?${REDACTED}`;
  const user = url.username === '' && url.password === '' ? '' : `${REDACTED}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${query}`;
}
