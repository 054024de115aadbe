import { isRecord } from '../../domain/payment/reading.ts';

/** An object's members, none for what is no object: what Relay may leave out reads as empty. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** A list's items, none for what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string that says something; null for anything else. */
export function readWord(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
