import type { Payment } from '../../domain/payment/payment.ts';
import type { Transition } from '../../domain/transitions/transition.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Queries } from '../../ports/queries.ts';
import type { Database } from '../connection/database.ts';
import { takeLabelTurn } from '../events/label-lock.ts';
import type { RecordedEvents } from '../events/record-events.ts';
import type { EventRules } from '../events/record-settings.ts';
import { paymentOf, SELECTED_COLUMNS, type PaymentRow } from './payment-row.ts';
import { writeTransition } from './write-transition.ts';

/** Changes a payment on behalf of a person, the shop or the chain. It may write other rows in the same transaction. */
export type PaymentChange = (
  payment: Payment,
  now: Date,
  paymentId: string,
  queries: Queries,
) => Transition | Promise<Transition>;

/** Null when there is nothing to change. */
export async function changePayment(
  database: Database,
  quoteId: string,
  change: PaymentChange,
  rules: EventRules,
  offers: readonly LeaseOffer[],
  clock: Clock,
): Promise<RecordedEvents | null> {
  const tryOnce = async (queries: Queries): Promise<RecordedEvents | null | 'outdated'> => {
    await takeLabelTurn(queries, [quoteId]);
    // Read before the transaction begins to write, which keeps the order of the log.
    const [row] = await queries.query<PaymentRow>(READ, [quoteId]);
    if (row === undefined) return null;
    // Takes the time after the payment was read: the new event must not be older than the payment's last one.
    const now = clock.now();
    const transition = await change(paymentOf(row), now, row.id, queries);
    if (transition.events.length === 0) return null;
    return (await writeTransition(queries, row, transition, { rules, offers, now })) || 'outdated';
  };
  for (;;) {
    // Tries again when a poll has changed the payment since it was read.
    const written = await database.transaction(tryOnce);
    if (written !== 'outdated') return written;
  }
}

const READ = `SELECT ${SELECTED_COLUMNS} FROM payment p WHERE p.quote_id = $1`;
