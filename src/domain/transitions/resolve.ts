import { isPrintable } from '../text/printable.ts';
import type { Payment, Resolution } from '../payment/payment.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** A person's statement about a payment that was settled by hand. */
export type Settlement = Omit<Resolution, 'at'>;

const MAX_NOTE = 500;
const LINE_BREAKS_AND_TABS = /[\n\t]/g;

/** True for a note of a resolution: a short text, possibly of several lines. */
export function isNote(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_NOTE) return false;
  return value.trim() !== '' && isPrintable(value.replaceAll(LINE_BREAKS_AND_TABS, ' '));
}

/**
 * Resolves a payment, or removes its resolution (null). A change makes one `payment.updated`; the same reason and note make
 * none, even from another person.
 */
export function resolve(payment: Payment, settlement: Settlement | null, now: Date): Transition {
  if (isSame(payment.resolution, settlement)) return unchanged(payment);
  const resolution = settlement === null ? null : { ...settlement, at: now.toISOString() };
  const resolved: Payment = { ...numbered(payment), resolution };
  const event = draftOf('payment.updated', payment, resolved, { reportText: undefined, resolution });
  return { payment: resolved, events: [event], report: null };
}

function isSame(one: Settlement | null, other: Settlement | null): boolean {
  if (one === null || other === null) return one === other;
  return one.reason === other.reason && one.note === other.note;
}
