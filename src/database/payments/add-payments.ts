import type { Transition } from '../../domain/transitions/transition.ts';
import { IdempotencyLost } from '../../ports/idempotency.ts';
import { PaymentRemoved, type StoredPayment } from '../../ports/payments.ts';
import { NotWanted } from '../../ports/store-busy.ts';
import { NO_OFFERS, type NewDeliveries } from '../../ports/new-deliveries.ts';
import { codeOf } from '../connection/connection-errors.ts';
import type { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';
import { newDeliveries, offersText, type NewDeliveryRow } from '../events/record-events.ts';
import type { RecordSettings, ProofRecording } from '../events/record-settings.ts';
import { openingOf, recordOf, type Addition, type NewPayment, type Opening } from './new-payment-record.ts';
import { storedNew } from './stored-payment.ts';
import { firstInspectionAt, watchEndsAt } from '../../domain/payment/deposit-inspections.ts';
import { readRoute } from '../../domain/payment/route.ts';
import { isPaid } from '../../domain/payment/status.ts';
import { saysCompleted } from '../../domain/payment/shown-report.ts';

/** A new payment, as it was stored. */
export interface AdditionResult {
  readonly payment: StoredPayment;
  readonly events: Transition['events'];
  /** The deliveries of its events. */
  readonly deliveries: NewDeliveries;
}

interface AddedRow extends NewDeliveryRow {
  readonly present_epoch: number;
  /** Numbers of payments, from 1. */
  readonly added: readonly number[] | null;
  /** When each new payment that is polled has its first poll. */
  readonly first_polls: readonly Date[] | null;
}

/** SQLSTATEs that add_payments raises. */
const REMOVED = 'PB002';
const CLAIM_LOST = 'PB003';

/**
 * Adds payments with different quotes in one round trip and one transaction; null for a payment that is stored already. New
 * deliveries are leased as the last addition offers, whose offers are the newest. If one payment meets PaymentRemoved,
 * IdempotencyLost or NotWanted, it throws that error and adds none.
 */
export async function addPayments(
  database: Database,
  additions: readonly Addition[],
  rules: RecordSettings,
  now: Date,
): Promise<(AdditionResult | null)[]> {
  const offers = offersText(additions.at(-1)?.offers ?? NO_OFFERS);
  const since = performance.now();
  for (let epoch = database.known.epoch ?? 0; ;) {
    const openings = additions.map(({ payment }) => openingOf(payment, epoch, now, rules));
    const records = openings.map((each, index) => recordOf(each, additions[index] as Addition, rules, now));
    const row = await add(
      database,
      () => checkWanted(additions),
      [JSON.stringify(records), now, epoch, offers],
      {
        proof: rules.proof,
        records,
      },
    );
    const { added } = row;
    if (added !== null) {
      noteStored(database, records, added, epoch);
      const payments = openings.map(({ transition }) => transition.payment);
      return addedOf(row, openings, records, newDeliveries(row, payments, records, since), now);
    }
    epoch = row.present_epoch;
  }
}

function checkWanted(additions: readonly Addition[]): void {
  if (additions.some(({ payment }) => payment.isWanted?.() === false)) throw new NotWanted();
}

async function add(
  database: Database,
  check: () => void,
  parameters: readonly unknown[],
  { proof, records }: Pick<RecordSettings, 'proof'> & { readonly records: readonly NewPayment[] },
): Promise<AddedRow> {
  const toProve = proof === null ? null : toProveOf(records, proof);
  const [sql, all] =
    toProve === null ? [ADD_PAYMENTS, parameters] : [ADD_TO_PROVE, [...parameters, ...toProve]];
  try {
    const rows = await database.withDeadlockRetry(() => database.queryIf<AddedRow>(check, sql, all));
    return rows[0] as AddedRow;
  } catch (error) {
    if (codeOf(error) === REMOVED) throw new PaymentRemoved(409);
    throw codeOf(error) === CLAIM_LOST ? new IdempotencyLost() : error;
  }
}

/** Picks the new payments from all that were given. */
function addedOf(
  { added, first_polls: dueAt }: AddedRow,
  openings: readonly Opening[],
  records: readonly NewPayment[],
  deliveries: NewDeliveries,
  now: Date,
): (AdditionResult | null)[] {
  const isNew = new Set(added);
  const polls = (dueAt ?? []).values();
  return records.map((record, index) => {
    if (!isNew.has(index + 1)) return null;
    const nextPollAt = record.in_ms === null ? null : (polls.next().value ?? null);
    return {
      payment: storedNew(record, nextPollAt, now),
      events: openings[index]?.transition.events ?? [],
      deliveries: {
        ...deliveries,
        leased: deliveries.leased.filter(({ quoteId }) => quoteId === record.quote_id),
      },
    };
  });
}

/** Noting one event is enough: all were written in one transaction. */
function noteStored(
  database: Database,
  records: readonly NewPayment[],
  added: readonly number[],
  epoch: number,
): void {
  const last = records[(added.at(-1) ?? 0) - 1]?.events.at(-1);
  if (last !== undefined) database.known.noteRecorded({ ids: [last.id], epoch });
}

const ADD_PAYMENTS = prepared(`
  SELECT present_epoch, added, first_polls, leased_deliveries, due_destinations
  FROM add_payments($1::json, $2::timestamptz, $3::int, $4::json)`);
const ADD_TO_PROVE = prepared(`
  SELECT present_epoch, added, first_polls, leased_deliveries, due_destinations
  FROM add_payments_to_prove(
    $1::json, $2::timestamptz, $3::int, $4::json, $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])`);

/**
 * The parameters the_quote_ids to the_ends of add_payments_to_prove; null when the witness has nothing to do for these
 * payments.
 */
function toProveOf(records: readonly NewPayment[], { chainIds }: ProofRecording): readonly unknown[] | null {
  const digests = records.map(({ report, report_digest: digest }) =>
    report !== null && saysCompleted(report) ? digest : null,
  );
  const watched = records.map((record) => isWatched(record, chainIds));
  if (digests.every((digest) => digest === null) && !watched.includes(true)) return null;
  const dateOf = (choose: typeof firstInspectionAt): (Date | null)[] =>
    records.map((record, index) => (watched[index] ? choose(record.expires_at, record.created_at) : null));
  return [records.map((record) => record.quote_id), digests, dateOf(firstInspectionAt), dateOf(watchEndsAt)];
}

function isWatched({ quote, report, status }: NewPayment, chainIds: ReadonlySet<number>): boolean {
  if (chainIds.size === 0 || isPaid(status)) return false;
  const { origin } = readRoute({ quoteText: quote, reportText: report });
  return chainIds.has(Number(origin.chainId));
}
