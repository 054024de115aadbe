import { Injectable } from '@nestjs/common';

import { release } from '../../domain/transitions/apply-proof.ts';
import type { Resolution } from '../../domain/payment/payment.ts';
import { isWithheld } from '../../domain/payment/shown-report.ts';
import { isFinal, isPaid, STATUSES } from '../../domain/payment/status.ts';
import { PENDING } from '../../domain/proof/verification.ts';
import { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import { Meter } from '../../ports/meter.ts';
import type { Deliverable } from '../../ports/new-deliveries.ts';
import { NotWithheld, WithheldPayments, type WithheldCounts } from '../../ports/withheld-payments.ts';
import { DueSignals } from '../../platform/scheduling/wake-signal.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { changePayment, type PaymentChange } from '../payments/change-payment.ts';
import { type ProofColumns, verificationOf } from '../payments/stored-payment.ts';
import { FIRST_TOKEN } from '../polling/claims.ts';
import { pollAfterProof } from '../polling/poll-after-proof.ts';

interface CountedRow {
  readonly kind: keyof WithheldCounts;
  readonly provider: string;
  readonly count: number;
}

/** The withheld payments in PostgreSQL. */
@Injectable()
export class PostgresWithheldPayments extends WithheldPayments {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly meter: Meter,
    private readonly due: DueSignals,
  ) {
    super();
  }

  async release(
    quoteId: string,
    released: Pick<Resolution, 'note' | 'by'>,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable> {
    const { database, rules, clock } = this;
    const change: PaymentChange = async (payment, now, paymentId, queries) => {
      const [beside] = await queries.query<ProofColumns & { readonly report_text: string | null }>(READ, [
        paymentId,
      ]);
      if (beside === undefined || !isWithheld(beside.report_text ?? '', payment.status))
        throw new NotWithheld(payment.status);
      const transition = release(payment, verificationOf(beside) ?? PENDING, released, now);
      await pollAfterProof(queries, paymentId, transition.payment, now, rules.urgency);
      return transition;
    };
    const changed = await changePayment(database, quoteId, change, rules, offers, clock);
    if (changed === null) return { deliveries: null };
    database.known.noteRecorded(changed.stored);
    this.meter.recorded('payment.completed');
    return { deliveries: changed.deliveries };
  }

  async leaveRequire(): Promise<WithheldCounts> {
    const rows = await this.database.withDeadlockRetry(() =>
      this.database.query<CountedRow>(LEAVE, [this.rules.urgency.gapMs, MAYBE_WITHHELD]),
    );
    const counts = { completing: 0, contradicted: 0, resolved: 0 };
    for (const { kind, provider, count } of rows) {
      counts[kind] += count;
      if (kind === 'completing') this.due.of(provider).wake();
    }
    return counts;
  }
}

const READ = `
  SELECT r.body AS report_text, f.state AS proof_state, f.verification
  FROM payment p LEFT JOIN payment_report r ON r.payment_id = p.id LEFT JOIN payment_proof f ON f.payment_id = p.id
  WHERE p.id = $1`;

/** Statuses in which a payment may be withheld: its money is on the way, or it has failed before. */
const MAYBE_WITHHELD = STATUSES.filter((status) => isPaid(status) && !isFinal(status));

/**
 * Payments in these statuses are few, and each is looked up: a join would read all proofs ever stored. A payment that is no
 * longer polled gets a row in the schedule. Its due time comes from the clock, so that no watermark lies above it.
 */
const LEAVE = `
  WITH withheld AS MATERIALIZED (
    SELECT p.id, p.provider, p.quote_id, p.report_digest, p.last_polled_at,
      CASE WHEN p.resolution IS NOT NULL THEN 'resolved' WHEN f.state = 'contradicted' THEN 'contradicted' ELSE 'completing' END AS kind
    FROM payment p
    CROSS JOIN LATERAL (SELECT state, report_digest FROM payment_proof WHERE payment_id = p.id OFFSET 0) f
    WHERE p.status = ANY ($2::text[]) AND f.state <> 'proven' AND f.report_digest = p.report_digest
  ), asked AS (
    INSERT INTO payment_schedule AS s (payment_id, provider, quote_id, report_digest, due_at, interval_ms, urgency, token, polled_at,
      answered_at)
    SELECT id, provider, quote_id, report_digest, clock_timestamp(), 0, 'in_flight', ${FIRST_TOKEN}, last_polled_at, last_polled_at
    FROM withheld WHERE kind = 'completing' ORDER BY id
    ON CONFLICT (payment_id) DO UPDATE
    SET unchanged_until = NULL, urgency = 'in_flight',
      due_at = least(s.due_at, greatest(clock_timestamp(), s.polled_at + $1::float8 * interval '1 millisecond'))
  )
  SELECT kind, provider, count(*)::int AS count FROM withheld GROUP BY kind, provider`;
