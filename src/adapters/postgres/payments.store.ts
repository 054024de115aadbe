import { Injectable } from '@nestjs/common';

import { applyReport, openPayment } from '../../domain/apply-report.ts';
import { newPayment } from '../../domain/payment.ts';
import { nextLook } from '../../domain/urgency.ts';
import type { Verdict } from '../../domain/verdict.ts';
import { Clock } from '../../ports/clock.ts';
import { IdempotencyLost, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { Payments, type PaymentFilter, type PaymentToAdd, type StoredPayment } from '../../ports/payments.ts';
import { DueBell, OwedBells } from '../../scheduling/bell.ts';
import { Database, type Queries } from './database.ts';
import { findPayment, listPayments, readEvents } from './payment-queries.ts';
import { writeMarks } from './payment-row.ts';
import { recordEvents } from './record-events.ts';
import { RecordRules } from './record-rules.ts';

/** Payments in PostgreSQL. */
@Injectable()
export class PostgresPayments extends Payments {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordRules,
    private readonly clock: Clock,
    private readonly owed: OwedBells,
    private readonly due: DueBell,
  ) {
    super();
  }

  async add(payment: PaymentToAdd, claim?: IdempotencyClaim): Promise<{ isNew: boolean }> {
    const now = this.clock.now();
    const verdict = this.firstVerdict(payment, now);
    const isNew = await this.database.transaction(async (queries) => {
      const paymentId = await insertPayment(queries, verdict, now);
      await storeQuote(queries, payment);
      if (claim !== undefined) await completeClaim(queries, claim, payment.quoteId);
      if (paymentId === null) return false;
      await this.insertFirst(queries, paymentId, verdict, now);
      return true;
    });
    if (isNew) this.owed.ring();
    return { isNew };
  }

  find(quoteId: string): Promise<StoredPayment | null> {
    return findPayment(this.database, quoteId);
  }

  list(filter: PaymentFilter): Promise<{ payments: StoredPayment[]; nextCursor: string | null }> {
    return listPayments(this.database, filter);
  }

  eventsOf(quoteId: string): Promise<string[] | null> {
    return readEvents(this.database, quoteId);
  }

  /** A quote is created first, and then moved by what is known of it already. */
  private firstVerdict(payment: PaymentToAdd, now: Date): Verdict {
    const opened = openPayment(newPayment(fieldsOf(payment), now));
    if (payment.report === null) return opened;
    const reported = applyReport(opened.payment, payment.report, now, this.rules);
    return { ...reported, events: [...opened.events, ...reported.events] };
  }

  private async insertFirst(queries: Queries, paymentId: string, verdict: Verdict, now: Date): Promise<void> {
    const { payment, events, report } = verdict;
    if (report !== null) await queries.query(INSERT_REPORT, [paymentId, report.text, now]);
    const next = nextLook(payment, now, this.rules.urgency);
    if (next.inMs !== null) {
      // Payments made in one second must not be looked at in one second for ever after.
      const jitter = report === null ? this.rules.firstLookJitter : 0;
      const firstInMs = next.inMs * (1 - jitter * Math.random());
      await queries.query(INSERT_SCHEDULE, [
        paymentId,
        firstInMs,
        next.inMs,
        next.urgency,
        report === null ? null : now,
      ]);
      this.due.ringIn(firstInMs);
    }
    const storedReport = report?.text ?? null;
    await recordEvents(
      queries,
      [{ paymentId, payment, drafts: events, storedReport }],
      this.rules.source,
      now,
    );
  }
}

function fieldsOf({ quoteId, orderId, metadata, expiresAt, report }: PaymentToAdd): PaymentToAdd {
  return {
    quoteId,
    orderId,
    metadata,
    expiresAt: expiresAt ?? report?.expiresAt ?? null,
    quoteText: null,
    report: null,
  };
}

async function insertPayment(queries: Queries, { payment }: Verdict, now: Date): Promise<string | null> {
  const [inserted] = await queries.query<{ id: string }>(INSERT_PAYMENT, [
    payment.quoteId,
    payment.orderId,
    payment.metadata === null ? null : JSON.stringify(payment.metadata),
    payment.status,
    payment.late,
    payment.sequence,
    payment.tracking,
    now,
    payment.expiresAt,
    payment.progressAt,
    payment.endedAt,
    payment.tracking === 'closed' ? now : null,
    writeMarks(payment.marks),
    payment.reportMark,
    payment.stalls,
    payment.contradictions,
  ]);
  return inserted?.id ?? null;
}

/** A payment that was adopted by its status alone gets its quote when the quote comes by. */
async function storeQuote(queries: Queries, { quoteId, quoteText }: PaymentToAdd): Promise<void> {
  if (quoteText !== null) await queries.query(INSERT_QUOTE, [quoteId, quoteText]);
}

async function completeClaim(queries: Queries, claim: IdempotencyClaim, quoteId: string): Promise<void> {
  const completed = await queries.query(COMPLETE_CLAIM, [claim.scope, claim.key, claim.token, quoteId]);
  if (completed.length === 0) throw new IdempotencyLost();
}

const COMPLETE_CLAIM = `
  UPDATE idempotency SET quote_id = $4 WHERE scope = $1 AND key = $2 AND token = $3
  RETURNING 1`;

const INSERT_PAYMENT = `
  INSERT INTO payment (quote_id, order_id, metadata, status, late, sequence, tracking, created_at, updated_at,
    expires_at, progress_at, ended_at, last_polled_at, marks, report_mark, stalls, contradictions)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  ON CONFLICT (quote_id) DO NOTHING
  RETURNING id`;

const INSERT_QUOTE = `
  INSERT INTO payment_quote (payment_id, body)
  SELECT id, $2 FROM payment WHERE quote_id = $1
  ON CONFLICT (payment_id) DO NOTHING`;

const INSERT_REPORT = `INSERT INTO payment_report (payment_id, body, reported_at) VALUES ($1, $2, $3)`;

/** The token begins at the time, so that a row made again never repeats a token of its forerunner. */
export const FIRST_TOKEN = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

const INSERT_SCHEDULE = `
  INSERT INTO payment_schedule (payment_id, due_at, interval_ms, urgency, token, polled_at)
  VALUES ($1, now() + $2 * interval '1 millisecond', $3, $4, ${FIRST_TOKEN}, $5)`;
