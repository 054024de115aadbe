import { Injectable } from '@nestjs/common';

import { isMoneyInFlight, STATUSES } from '../../domain/payment/status.ts';
import {
  AttentionCounts,
  type EndpointTrouble,
  MOST_COUNTED,
  MOST_LISTED,
  type PaymentSums,
  type PaymentTrouble,
  type TroubledEndpoint,
  type TroubledEndpoints,
  type UpTo,
} from '../../ports/attention.ts';
import { Database } from '../connection/database.ts';
import { IS_FAILING } from '../payments/list-statement.ts';
import { deliveriesOf, MOST_READ, UNRESOLVED } from './bounded-reading.ts';
import { readSums, sumsOfFound } from './payment-sums.ts';
import { readUnacknowledged, TROUBLED } from './unacknowledged.ts';

/** The dashboard asks again: a count that takes longer is given up. */
const READ_WITHIN_MS = 3_000;

type EndpointRow = TroubledEndpoint & { readonly count: number; readonly since: Date | null };

/** Counts in PostgreSQL, each from an index of what is rare. */
@Injectable()
export class PostgresAttentionCounts extends AttentionCounts {
  constructor(private readonly database: Database) {
    super();
  }

  async payments(): Promise<Readonly<Record<PaymentTrouble, UpTo>>> {
    const [stalled, anomaly, late, undelivered] = await Promise.all([
      this.count(countPayments(`p.stalls <> '{}' AND p.tracking <> 'closed'`, 'p.progress_at')),
      this.count(countPayments(`p.contradictions <> '{}'`, CONTRADICTED_AT)),
      this.count(countPayments('p.late', 'coalesce(p.expires_at, p.updated_at)')),
      this.count(UNDELIVERED),
    ]);
    return { stalled, anomaly, late, undelivered };
  }

  failedDeliveries(): Promise<UpTo> {
    return this.count(FAILED);
  }

  unroutableEvents(): Promise<UpTo> {
    return this.count(UNROUTABLE);
  }

  inFlight(): Promise<PaymentSums> {
    return readSums(this.database, IN_FLIGHT, [MONEY_IN_FLIGHT], READ_WITHIN_MS);
  }

  async endpoints(trouble: EndpointTrouble): Promise<TroubledEndpoints> {
    const rows = await this.database.query<EndpointRow>(ENDPOINTS[trouble], [], READ_WITHIN_MS);
    const [first] = rows;
    const unacknowledged = await readUnacknowledged(
      this.database,
      first === undefined ? null : trouble,
      READ_WITHIN_MS,
    );
    const endpoints = rows.map(({ count: _count, since: _since, ...endpoint }) => endpoint);
    return { count: first?.count ?? 0, since: first?.since ?? null, endpoints, unacknowledged };
  }

  private async count(sql: string): Promise<UpTo> {
    const [row] = await this.database.query<{ count: number; since: Date | null }>(sql, [], READ_WITHIN_MS);
    const { count = 0, since = null } = row ?? {};
    return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED, since };
  }
}

const MONEY_IN_FLIGHT = STATUSES.filter(isMoneyInFlight);

/** Read through the index of lists, which begins with the status. */
const IN_FLIGHT = `
  WITH found AS MATERIALIZED (
    SELECT p.id FROM payment p WHERE p.status = ANY ($1) AND ${UNRESOLVED} LIMIT ${MOST_COUNTED + 1}
  ), ${sumsOfFound()}`;

/** Without an event while the log does not have it yet. */
const CONTRADICTED_AT = `coalesce(
    (SELECT min(e.time) FROM event_entry e WHERE e.payment_id = p.id AND e.type = 'payment.anomaly'), p.updated_at)`;

/** Word by word the condition of a partial index: see indexes.ts. */
function countPayments(condition: string, since: string): string {
  return `
    SELECT count(*)::int AS count, min(found.since) AS since FROM (
      SELECT ${since} AS since FROM payment p WHERE ${condition} AND ${UNRESOLVED} LIMIT ${MOST_COUNTED + 1}
    ) found`;
}

/**
 * Skips through the index, from each payment to the next: one may have very many deliveries. No row while the index is being
 * built, since every step would read the table.
 */
const UNDELIVERED = `
  WITH RECURSIVE found AS (
    SELECT 9223372036854775807 AS id
    FROM pg_index WHERE indexrelid = to_regclass('delivery_undelivered') AND indisvalid
    UNION ALL
    SELECT (
      SELECT d.payment_id FROM delivery d
      WHERE ${IS_FAILING} AND d.payment_id < f.id
      ORDER BY d.payment_id DESC LIMIT 1)
    FROM found f WHERE f.id IS NOT NULL
  )
  SELECT count(*)::int AS count, min(undelivered.since) AS since FROM (
    SELECT d.since FROM (SELECT id FROM found OFFSET 1 LIMIT ${MOST_READ}) f
    JOIN payment p ON p.id = f.id AND ${UNRESOLVED}
    CROSS JOIN LATERAL (
      SELECT min(d.created_at) AS since FROM delivery d JOIN destination x ON x.id = d.destination_id
      WHERE d.payment_id = p.id AND ${IS_FAILING}) d
    WHERE d.since IS NOT NULL
    LIMIT ${MOST_COUNTED + 1}
  ) undelivered`;

const FAILED = `
  SELECT count(*)::int AS count, min(failed.created_at) AS since FROM (
    SELECT d.created_at FROM destination x CROSS JOIN LATERAL (${deliveriesOf('x.id', 'failed')}) d
    JOIN payment p ON p.id = d.payment_id AND ${UNRESOLVED}
    WHERE x.kind = 'webhook' LIMIT ${MOST_COUNTED + 1}
  ) failed`;

/** An installation may live with types that no queue is bound for: after a day they are known. */
const UNROUTABLE = `
  SELECT count(*)::int AS count, min(unroutable.created_at) AS since FROM (
    SELECT d.created_at FROM destination x CROSS JOIN LATERAL (
      ${deliveriesOf('x.id', 'failed', 'newest')} UNION ALL ${deliveriesOf('x.id', 'pending', 'newest')}
    ) d
    JOIN payment p ON p.id = d.payment_id AND ${UNRESOLVED}
    WHERE x.url IS NULL AND x.enabled AND d.last_failure = 'unroutable' AND d.created_at > now() - interval '1 day'
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
