import type { PaymentFilter } from '../../ports/payments.ts';
import type { PaymentPosition } from '../connection/cursor.ts';

/** A bound of a list, as a position in the order of (created_at, id). */
export interface Bound {
  readonly sign: '<' | '>=';
  /** Microseconds since 1970 as text. */
  readonly at: Date | string;
  readonly id: string;
}

type Window = Pick<PaymentFilter, 'sort' | 'createdAfter' | 'createdBefore'>;

/**
 * The bounds of a page: after a position, and within the window of time. Each side has only its narrower bound: with two,
 * PostgreSQL might begin at the wider one and read all earlier pages.
 */
export function boundsOf(
  { sort = 'newest', createdAfter, createdBefore }: Window,
  after: PaymentPosition | null,
): readonly Bound[] {
  const at = after?.createdUs ?? '0';
  const below = after !== null && sort === 'newest' ? { at, id: after.id } : null;
  // Row comparison with `>` is estimated by the first column alone, which for one order estimates no rows.
  const above = after !== null && sort === 'oldest' ? { at, id: String(BigInt(after.id) + 1n) } : null;
  const isBelow = below !== null && (createdBefore === undefined || BigInt(below.at) < usOf(createdBefore));
  const isAbove = above !== null && (createdAfter === undefined || BigInt(above.at) >= usOf(createdAfter));
  return [
    ...(isAbove ? [{ sign: '>=', ...above } as const] : fromDate('>=', createdAfter)),
    ...(isBelow ? [{ sign: '<', ...below } as const] : fromDate('<', createdBefore)),
  ];
}

function fromDate(sign: '<' | '>=', at: Date | undefined): Bound[] {
  return at === undefined ? [] : [{ sign, at, id: '0' }];
}

function usOf(date: Date): bigint {
  return BigInt(date.getTime()) * 1_000n;
}
