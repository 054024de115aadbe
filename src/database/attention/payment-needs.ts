import type { AnomalyReason } from '../../domain/event/event-data.ts';
import { isFinal, isPaid, isWatched, STATUSES } from '../../domain/payment/status.ts';
import { CONTRADICTIONS_ON_CHAIN } from '../../domain/proof/verification.ts';
import {
  type ListedNeed,
  PAYMENT_TROUBLES,
  type PaymentTrouble,
} from '../../domain/attention/payment-troubles.ts';
import { MOST_COUNTED, MOST_NAMED, type NamedPayment } from '../../ports/attention.ts';
import { UNRESOLVED } from '../deliveries/bounded-reading.ts';
import type { RecordSettings } from '../events/record-settings.ts';
import { IS_DEPOSIT_KEPT } from '../schema/indexes.ts';
import { PAID_TWICE } from './paid-twice.ts';
import { LIST_WITHOUT_RECEIVER, UNTOLD_PAYMENTS } from './untold.ts';

const MOST_FOUND = MOST_COUNTED + 1;

/** Less than the promised amount arrived, and the rest went back or is missing. */
const SHORT: readonly AnomalyReason[] = ['partly_refunded', 'short_output'];
/** The payer sent another sum or token than asked. */
const WRONG_SUM: readonly AnomalyReason[] = ['underpaid', 'overpaid', 'other_token_received'];
const UNSEEN: AnomalyReason = 'deposit_unseen_by_provider';
/**
 * The contradiction about an unseen deposit has a third part, its token, only for a deposit of another token. The provider
 * keeps that deposit and has gone on with another one.
 */
const IS_OTHER_TOKEN_UNSEEN = `NOT 'other_token_received' = ANY (p.contradictions)
  AND EXISTS (SELECT FROM unnest(p.contradictions) c WHERE c LIKE '${UNSEEN}:%:%')`;
/** The other reasons are contradictions of the provider. */
const NO_CONTRADICTION: readonly AnomalyReason[] = [
  ...CONTRADICTIONS_ON_CHAIN,
  ...SHORT,
  ...WRONG_SUM,
  UNSEEN,
];

/** No deposit came, as far as the status says. */
const UNPAID = STATUSES.filter((status) => !isPaid(status));
const FAILED = STATUSES.filter((status) => isPaid(status) && isWatched(status));

/** SQL that finds the payments `p` of a trouble, and the time since when they have it. */
interface Found {
  readonly since: string;
  readonly from: string;
}

/** Shows no event while the event log has not reached it yet. */
const CONTRADICTED_AT = `coalesce(
  (SELECT min(e.time) FROM event_entry e WHERE e.payment_id = p.id AND e.type = 'payment.anomaly'), p.updated_at)`;

/**
 * The conditions repeat those of the partial indexes word for word: see indexes.ts.
 *
 * A withheld completion needs a person for as long as it is withheld. Any other unverified completion counts for a day, if
 * a witness was asked, which leaves its checks: otherwise an installation with few RPCs would count nearly all of its payments.
 */
const FOUND: Readonly<Record<PaymentTrouble, Found>> = {
  contradicted: {
    since: 'p.decided_at',
    from: `(SELECT p.*, f.decided_at FROM payment_proof f JOIN payment p ON p.id = f.payment_id
      WHERE f.state = 'contradicted' AND f.report_digest = p.report_digest) p WHERE ${UNRESOLVED}`,
  },
  depositUnseen: {
    since: 'p.updated_at',
    from: `payment p WHERE p.contradictions <> '{}' AND ${UNRESOLVED} AND CASE
        WHEN p.status IN (${wordsOf(UNPAID)}) AND p.match IS NULL THEN ${hasReason('IN', [UNSEEN])}
        WHEN p.status NOT IN (${wordsOf(FAILED)}) THEN ${IS_OTHER_TOKEN_UNSEEN} END`,
  },
  unverified: {
    since: 'p.began_at',
    from: `(SELECT p.*, f.began_at FROM payment_proof f
      JOIN payment p ON p.id = f.payment_id AND f.report_digest = p.report_digest AND f.state <> 'proven'
      WHERE p.stalls <> '{}' AND p.tracking <> 'closed' AND 'unverified' = ANY (p.stalls)
      UNION ALL
      SELECT p.*, f.began_at FROM payment_proof f JOIN payment p ON p.id = f.payment_id
        AND (p.tracking = 'closed' OR p.status IN (${wordsOf(STATUSES.filter(isFinal))}))
      WHERE f.began_at > now() - interval '1 day' AND f.state = 'unverified'
        AND json_array_length(f.verification::json -> 'checks') > 0) p WHERE ${UNRESOLVED}`,
  },
  paidTwice: { since: 'p.progress_at', from: `payment p WHERE ${PAID_TWICE}` },
  anomaly: {
    since: CONTRADICTED_AT,
    from: `payment p WHERE p.contradictions <> '{}' AND ${UNRESOLVED} AND ${hasReason('NOT IN', NO_CONTRADICTION)}`,
  },
  short: {
    since: CONTRADICTED_AT,
    from: `payment p WHERE p.contradictions <> '{}' AND ${UNRESOLVED} AND ${hasReason('IN', SHORT)}`,
  },
  wrongSum: {
    since: CONTRADICTED_AT,
    from: `payment p WHERE p.contradictions <> '{}' AND ${UNRESOLVED} AND ${hasReason('IN', WRONG_SUM)}`,
  },
  stalled: {
    since: 'p.progress_at',
    from: `(SELECT p.* FROM payment p
        WHERE p.stalls <> '{}' AND p.tracking <> 'closed' AND ${UNRESOLVED} AND NOT p.stalls <@ '{unverified}'
      UNION ALL
      SELECT p.* FROM payment p WHERE ${IS_DEPOSIT_KEPT}) p WHERE true`,
  },
  late: {
    since: 'coalesce(p.expires_at, p.updated_at)',
    from: `payment p WHERE p.late AND ${UNRESOLVED}`,
  },
};

function hasReason(isIn: 'IN' | 'NOT IN', reasons: readonly AnomalyReason[]): string {
  return `EXISTS (SELECT FROM unnest(p.contradictions) c WHERE split_part(c, ':', 1) ${isIn} (${wordsOf(reasons)}))`;
}

function wordsOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join();
}

/** `placed` has each payment once, with the first of its troubles. */
function placed({ ordersAreUnique }: RecordSettings): string {
  const found = PAYMENT_TROUBLES.flatMap((trouble, rank) => {
    const { since, from } = FOUND[trouble];
    if (trouble === 'paidTwice' && !ordersAreUnique) return [];
    return [
      `(SELECT p.id, p.order_id, '${trouble}' AS trouble, ${rank} AS rank, ${since} AS since FROM ${from} LIMIT ${MOST_FOUND})`,
    ];
  });
  return `found_own AS MATERIALIZED (
    ${found.join(' UNION ALL ')}
  ), placed AS MATERIALIZED (
    SELECT DISTINCT ON (o.id) o.id, o.order_id, o.trouble, o.since FROM found_own o ORDER BY o.id, o.rank
  )`;
}

/** The payments that need a person for one trouble, a statement's `found` with their ids. */
export function needyFor(trouble: PaymentTrouble, rules: RecordSettings): string {
  return `${placed(rules)}, found AS MATERIALIZED (SELECT id FROM placed WHERE trouble = '${trouble}' LIMIT ${MOST_FOUND})`;
}

/** The ids of the payments in one card. */
export function listNeedy(need: ListedNeed, rules: RecordSettings): string {
  if (need === 'noReceiver') return LIST_WITHOUT_RECEIVER;
  return `WITH ${needyFor(need, rules)} SELECT id::text FROM found`;
}

/** A row of `needs`. */
export interface NeedRow {
  readonly trouble: PaymentTrouble | 'untold';
  readonly payments: number;
  readonly orders: number;
  readonly is_cut: boolean;
  readonly since: Date | null;
  readonly examples: readonly NamedPayment[];
  /** How many untold payments have another trouble too; the same number in each row. */
  readonly untold_in_trouble: number;
}

/** Selects a row for each trouble that payments have; the row `untold` has the untold payments without any other trouble. */
export function needs(rules: RecordSettings): string {
  return `
    WITH RECURSIVE ${UNTOLD_PAYMENTS}, ${placed(rules)}, needy AS MATERIALIZED (
      SELECT id, order_id, trouble, since FROM placed
      UNION ALL
      SELECT u.id, NULL, 'untold', u.since FROM untold u WHERE NOT EXISTS (SELECT FROM placed WHERE placed.id = u.id)
    ), named AS MATERIALIZED (
      SELECT n.trouble, n.since, n.id, row_number() OVER (PARTITION BY n.trouble ORDER BY n.since, n.id) AS place FROM needy n
    )
    SELECT n.trouble, count(*)::int AS payments, count(DISTINCT n.order_id)::int AS orders, min(n.since) AS since,
      (SELECT count(*) FROM found_own o WHERE o.trouble = n.trouble) >= ${MOST_FOUND} AS is_cut,
      (SELECT json_agg(json_build_object('quoteId', p.quote_id, 'orderId', p.order_id) ORDER BY e.place)
       FROM named e JOIN payment p ON p.id = e.id WHERE e.trouble = n.trouble AND e.place <= ${MOST_NAMED}) AS examples,
      (SELECT count(*) FROM untold u JOIN placed ON placed.id = u.id)::int AS untold_in_trouble
    FROM needy n GROUP BY n.trouble`;
}
