import type { Payment } from './payment.ts';
import { isFinal, isMoneyInFlight, type Status, STATUSES } from './status.ts';

type OrderPayment = Pick<Payment, 'quoteId' | 'status' | 'tracking' | 'resolution'>;

/** How many payments of an order are read, the newest first: an id used for very many payments costs no more. */
export const MOST_IN_ORDER = 100;

/** The payments of an order by state; a duplicate counts as resolved only. */
export interface OrderState {
  /** Payments whose money may still come, or is on its way. */
  readonly open: readonly string[];
  readonly completed: readonly string[];
  /** Payments that a person resolved, for whatever reason. */
  readonly resolved: readonly string[];
}

/** Sorts the quote ids of an order's payments by state. Pure; name_others.sql decides the same for events. */
export function orderStateOf(payments: readonly OrderPayment[]): OrderState {
  const counting = payments.filter(({ resolution }) => resolution?.reason !== 'duplicate');
  return {
    open: counting.filter(isOpen).map(quoteIdOf),
    completed: counting.filter(({ status }) => isFinal(status)).map(quoteIdOf),
    resolved: payments.filter(({ resolution }) => resolution !== null).map(quoteIdOf),
  };
}

function isOpen({ status, tracking }: OrderPayment): boolean {
  return tracking === 'active' && !isFinal(status);
}

function quoteIdOf({ quoteId }: OrderPayment): string {
  return quoteId;
}

/** The statuses in which a payment counts for its order: its money came, or is on its way. */
export const PAYING: readonly Status[] = STATUSES.filter(
  (status) => isFinal(status) || isMoneyInFlight(status),
);
