import { Injectable } from '@nestjs/common';

import { isFinal, isMoneyInFlight, STATUSES } from '../../domain/payment/status.ts';
import { PAYMENT_TROUBLES, type PaymentTrouble } from '../../domain/attention/payment-troubles.ts';
import {
  AttentionCounts,
  type BegunMove,
  type EndpointTrouble,
  MOST_COUNTED,
  MOST_LISTED,
  type NeedyPayments,
  type PaymentNeeds,
  type PaymentSums,
  type TroubledEndpoint,
  type TroubledEndpoints,
  type UpTo,
} from '../../ports/attention.ts';
import { RABBITMQ } from '../../ports/destinations.ts';
import { Database } from '../connection/database.ts';
import { deliveriesOf, UNRESOLVED, UNSETTLED } from '../deliveries/bounded-reading.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { type NeedRow, needs, needyFor } from './payment-needs.ts';
import { readSums, sumsOfFound } from './payment-sums.ts';
import { SUM_UNTOLD } from './untold.ts';
import { readUnacknowledged, TROUBLED } from './unacknowledged.ts';

/** A count that takes longer is given up; the dashboard asks again. */
const READ_WITHIN_MS = 3_000;

const NONE: NeedyPayments = { count: 0, isMore: false, since: null, examples: [] };

type EndpointRow = TroubledEndpoint & { readonly count: number; readonly since: Date | null };

/** Counts payments in trouble. Each count reads an index that has entries only for such payments. */
@Injectable()
export class PostgresAttentionCounts extends AttentionCounts {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
  ) {
    super();
  }

  async payments(): Promise<PaymentNeeds> {
    const rows = await this.database.reads.query<NeedRow>(needs(this.rules), [], READ_WITHIN_MS);
    const of = (trouble: NeedRow['trouble']): NeedyPayments => {
      const row = rows.find((each) => each.trouble === trouble);
      return row === undefined ? NONE : needyOf(row);
    };
    const troubles = PAYMENT_TROUBLES.map((trouble) => [trouble, of(trouble)] as const);
    const count = rows.reduce((sum, { payments }) => sum + payments, 0);
    return {
      troubles: Object.fromEntries(troubles) as PaymentNeeds['troubles'],
      untold: of('untold'),
      untoldInTrouble: rows[0]?.untold_in_trouble ?? 0,
      all: { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED },
    };
  }

  sums(of: PaymentTrouble | 'undelivered'): Promise<PaymentSums> {
    const { reads } = this.database;
    if (of === 'undelivered') return readSums(reads, SUM_UNTOLD, [], READ_WITHIN_MS);
    const sql = `WITH ${needyFor(of, this.rules)}, ${sumsOfFound()}`;
    return readSums(reads, sql, [], READ_WITHIN_MS);
  }

  failedDeliveries(): Promise<UpTo> {
    return this.count(FAILED);
  }

  unroutableEvents(): Promise<UpTo> {
    return this.count(UNROUTABLE);
  }

  inFlight(): Promise<PaymentSums> {
    return readSums(this.database.reads, IN_FLIGHT, [MONEY_IN_FLIGHT], READ_WITHIN_MS);
  }

  async begunMove(): Promise<BegunMove> {
    const [row] = await this.database.reads.query<BegunMove>(
      BEGUN,
      [STATUSES.filter(isFinal)],
      READ_WITHIN_MS,
    );
    return row ?? { isHandedOver: false, isAsked: false, isOver: false };
  }

  async endpoints(trouble: EndpointTrouble): Promise<TroubledEndpoints> {
    const rows = await this.database.reads.query<EndpointRow>(ENDPOINTS[trouble], [], READ_WITHIN_MS);
    const [first] = rows;
    const unacknowledged = await readUnacknowledged(
      this.database.reads,
      first === undefined ? null : trouble,
      READ_WITHIN_MS,
    );
    const endpoints = rows.map(({ count: _count, since: _since, ...endpoint }) => endpoint);
    return { count: first?.count ?? 0, since: first?.since ?? null, endpoints, unacknowledged };
  }

  private async count(sql: string): Promise<UpTo> {
    const [row] = await this.database.reads.query<{ count: number; since: Date | null }>(
      sql,
      [],
      READ_WITHIN_MS,
    );
    const { count = 0, since = null } = row ?? {};
    return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED, since };
  }
}

function needyOf({ trouble, payments, orders, is_cut: isCut, since, examples }: NeedRow): NeedyPayments {
  const found = trouble === 'paidTwice' ? orders : payments;
  const count = Math.min(found, MOST_COUNTED);
  return { count, isMore: isCut || found > MOST_COUNTED, since, examples };
}

/**
 * Payments that the API adopted by their quote id are named in the audit log. All others came from a quote, a look-up
 * or a message of the track queue.
 */
const BEGUN = `
  SELECT coalesce(bool_or(asked.is_handed_over), false) AS "isHandedOver",
    coalesce(bool_or(NOT asked.is_handed_over), false) AS "isAsked",
    EXISTS (SELECT FROM payment WHERE status = ANY ($1)) AS "isOver"
  FROM (SELECT quote_id FROM payment ORDER BY id DESC LIMIT 100) p CROSS JOIN LATERAL (
    SELECT EXISTS (
      SELECT FROM audit_entry a
      WHERE a.target IN (p.quote_id, lower(p.quote_id COLLATE "C"), upper(p.quote_id COLLATE "C")) AND a.action = 'payment.track') AS is_handed_over
  ) asked`;

const MONEY_IN_FLIGHT = STATUSES.filter(isMoneyInFlight);

/** Reads the index of lists, whose first column is the status. */
const IN_FLIGHT = `
  WITH found AS MATERIALIZED (
    SELECT p.id FROM payment p WHERE p.status = ANY ($1) AND ${UNRESOLVED} LIMIT ${MOST_COUNTED + 1}
  ), ${sumsOfFound()}`;

const FAILED = `
  SELECT count(*)::int AS count, min(failed.created_at) AS since FROM (
    SELECT d.created_at FROM destination x CROSS JOIN LATERAL (${deliveriesOf('x.id', 'failed')}) d
    JOIN payment p ON p.id = d.payment_id AND ${UNSETTLED}
    WHERE x.kind = 'webhook' LIMIT ${MOST_COUNTED + 1}
  ) failed`;

/**
 * Only unroutable events of the last day count: an installation may well have event types that no queue is bound for.
 */
const UNROUTABLE = `
  SELECT count(*)::int AS count, min(unroutable.created_at) AS since FROM (
    SELECT d.created_at FROM destination x CROSS JOIN LATERAL (
      ${deliveriesOf('x.id', 'failed', 'newest')} UNION ALL ${deliveriesOf('x.id', 'pending', 'newest')}
    ) d
    JOIN payment p ON p.id = d.payment_id AND ${UNSETTLED}
    WHERE x.kind = '${RABBITMQ}' AND x.enabled AND d.last_failure = 'unroutable' AND d.created_at > now() - interval '1 day'
    LIMIT ${MOST_COUNTED + 1}
  ) unroutable`;

function endpointsIn(trouble: EndpointTrouble): string {
  return `
    SELECT x.id, x.url, x.description, coalesce(c.state, 'closed') AS circuit, c.failing_since AS "failingSince",
      x.disabled_reason AS "disabledReason", (count(*) OVER ())::int AS count, min(c.failing_since) OVER () AS since
    FROM destination x LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
    WHERE x.kind = 'webhook' AND ${TROUBLED[trouble]}
    ORDER BY c.failing_since NULLS LAST, x.created_at, x.id LIMIT ${MOST_LISTED}`;
}

const ENDPOINTS: Readonly<Record<EndpointTrouble, string>> = {
  disabled: endpointsIn('disabled'),
  failing: endpointsIn('failing'),
};
