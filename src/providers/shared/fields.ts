import { isRecord } from '../../domain/payment/reading.ts';

/** The members of a JSON object; empty for a value that is no object, since Relay may leave it out. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The items of a JSON list; empty for a value that is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string that is not blank; null for any other value. */
export function readWord(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
