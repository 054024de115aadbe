import { Injectable } from '@nestjs/common';

import { EndpointFailures, type FailureSum } from '../../ports/endpoint-failures.ts';
import { Database } from '../connection/database.ts';

/** The most deliveries that are read of each state, the newest first. */
const MOST_READ = 10_000;
/** A read that takes longer is given up; the caller asks again. */
const READ_WITHIN_MS = 3_000;
const STATES = ['pending', 'failed'] as const;

interface Row extends FailureSum {
  readonly isMore: boolean;
}

/** Adds up the attempts of deliveries that are pending or given up. */
@Injectable()
export class PostgresEndpointFailures extends EndpointFailures {
  constructor(private readonly database: Database) {
    super();
  }

  async of(endpointId: string): Promise<{ failures: FailureSum[]; isMore: boolean }> {
    const rows = await this.database.reads.query<Row>(FAILURES, [endpointId], READ_WITHIN_MS);
    const failures = rows.map(({ isMore: _isMore, ...failure }) => failure);
    return { failures, isMore: rows[0]?.isMore ?? false };
  }
}

/** The condition compares whole rows, so that PostgreSQL reads the index `delivery_listed` in its own order. */
const owedIn = (state: (typeof STATES)[number]): string => `(
    SELECT listed.id, listed.payment_id FROM (
      SELECT destination_id, state, id, payment_id FROM delivery
      WHERE (destination_id, state, id) < ($1, '${state}', 9223372036854775807)
      ORDER BY destination_id DESC, state DESC, id DESC LIMIT ${MOST_READ}
    ) listed WHERE listed.destination_id = $1 AND listed.state = '${state}'
  )`;

const FAILURES = `
  WITH owed AS MATERIALIZED (${STATES.map(owedIn).join(' UNION ALL ')}), made AS MATERIALIZED (
    SELECT o.id, o.payment_id, a.number, a.failure, a.code, a.http_status, a.made_at
    FROM owed o CROSS JOIN LATERAL (
      SELECT number, failure, code, http_status, made_at FROM earlier_attempt WHERE delivery_id = o.id
      UNION ALL
      SELECT attempts, last_failure, last_code, last_http_status, attempt_made_at FROM delivery
      WHERE id = o.id AND attempt_made_at IS NOT NULL
    ) a WHERE a.failure IS NOT NULL
  ), summed AS (
    SELECT failure, code, http_status, count(*)::int AS attempts, count(DISTINCT payment_id)::int AS payments,
      min(made_at) AS first_at, max(made_at) AS last_at,
      (array_agg(id ORDER BY made_at DESC))[1] AS last_id, (array_agg(number ORDER BY made_at DESC))[1] AS last_number
    FROM made GROUP BY failure, code, http_status
  )
  SELECT s.failure, s.code, s.http_status AS "httpStatus", s.attempts, s.payments, s.first_at AS "firstAt",
    s.last_at AS "lastAt",
    (SELECT excerpt FROM earlier_attempt WHERE delivery_id = s.last_id AND number = s.last_number
     UNION ALL
     SELECT attempt_excerpt FROM delivery WHERE id = s.last_id AND attempts = s.last_number AND attempt_made_at IS NOT NULL
     LIMIT 1) AS excerpt,
    (SELECT count(*) FROM owed) >= ${MOST_READ} AS "isMore"
  FROM summed s ORDER BY s.last_at DESC, s.failure, s.code, s.http_status`;
