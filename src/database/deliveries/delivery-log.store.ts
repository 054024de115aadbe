import { Injectable } from '@nestjs/common';

import { type Counted, MOST_COUNTED } from '../../ports/attention.ts';
import type { FailureClass } from '../../ports/deliveries.ts';
import {
  DeliveryLog,
  type DeliveryConditions,
  type DeliveryDetail,
  type DeliveryFilter,
  type LoggedAttempt,
  type LoggedDelivery,
} from '../../ports/delivery-log.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import type { Queries } from '../../ports/queries.ts';
import { Database } from '../connection/database.ts';
import { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import { COUNT_WITHIN_MS } from './bounded-reading.ts';
import { DELIVERY_COLUMNS, DELIVERY_TABLES, deliveryOf, type DeliveryRow } from './delivery-row.ts';
import {
  listDeliveries,
  ALL_ENDPOINTS,
  deliveriesOfPayments,
  isAsResolved,
  isListed,
  ONE_ENDPOINT,
  parametersOf,
  resolved,
} from './list-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';

interface AttemptRow {
  readonly number: number;
  readonly made_at: Date;
  readonly duration_ms: number;
  readonly address: string | null;
  readonly http_status: number | null;
  readonly failure: FailureClass | null;
  readonly code: string | null;
  readonly excerpt: string | null;
}

/** The most attempts that the details of a delivery list; the number of all attempts stands beside them. */
const MAX_ATTEMPTS = 100;

/** Deliveries as rows of `delivery` and `earlier_attempt`. */
@Injectable()
export class PostgresDeliveryLog extends DeliveryLog {
  private readonly secrets: EndpointSecrets;

  constructor(
    private readonly database: Database,
    private readonly deliverySignals: DeliverySignals,
    box: SecretBox,
    private readonly kinds: DestinationKinds,
  ) {
    super();
    this.secrets = new EndpointSecrets(box);
  }

  list(filter: DeliveryFilter): Promise<{ deliveries: LoggedDelivery[]; nextCursor: string | null }> {
    return listDeliveries(this.database.reads, filter, this.secrets, this.kinds);
  }

  count(conditions: DeliveryConditions): Promise<Counted> {
    return this.database.within(COUNT_WITHIN_MS, countDeliveries(this.database.reads, conditions));
  }

  async find(id: string): Promise<DeliveryDetail | null> {
    const [row] = await this.database.looks.query<DeliveryRow & { body: string }>(FIND, [id]);
    if (row === undefined) return null;
    // Leaves out attempts that were made after the delivery was read: the list must fit its number of attempts.
    const attempts = await this.database.looks.query<AttemptRow>(ATTEMPTS, [id, row.attempts]);
    return {
      ...deliveryOf(row, this.secrets, this.kinds),
      eventText: row.body,
      attempts: attempts.reverse().map(attemptOf),
    };
  }

  async retry(id: string): Promise<boolean> {
    const kind = await this.database.transaction((queries) => retryDelivery(queries, id));
    if (kind !== null) this.deliverySignals.of(kind).wake();
    return kind !== null;
  }
}

function attemptOf(row: AttemptRow): LoggedAttempt {
  const { number, address, failure, code, excerpt } = row;
  const { made_at: madeAt, duration_ms: durationMs, http_status: httpStatus } = row;
  return { number, madeAt, durationMs, address, httpStatus, failure, code, excerpt };
}

const FIND = `
  SELECT ${DELIVERY_COLUMNS}, e.body FROM ${DELIVERY_TABLES}
  WHERE d.id = $1`;

const ATTEMPTS = `
  SELECT * FROM (
    SELECT number, made_at, duration_ms, address, http_status, failure, code, excerpt
    FROM earlier_attempt WHERE delivery_id = $1
    UNION ALL
    SELECT attempts, attempt_made_at, attempt_ms, attempt_address, last_http_status, last_failure, last_code,
      attempt_excerpt
    FROM delivery WHERE id = $1 AND attempt_made_at IS NOT NULL
  ) made
  WHERE number <= $2 ORDER BY number DESC LIMIT ${MAX_ATTEMPTS}`;

/** One row more shows that there are more. */
const MOST = MOST_COUNTED + 1;

export async function countDeliveries(queries: Queries, given: DeliveryConditions): Promise<Counted> {
  const conditions = await resolved(queries, given);
  const [row] = await queries.query<{ count: number }>(statementOf(conditions), parametersOf(conditions));
  const count = row?.count ?? 0;
  return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED };
}

function statementOf(conditions: DeliveryConditions): string {
  const { endpointId, quoteId, orderId } = conditions;
  if (quoteId !== undefined || orderId !== undefined)
    return `SELECT count(*)::int AS count FROM (${deliveriesOfPayments(conditions)} LIMIT ${MOST}) d`;
  return ofGroups(endpointId === undefined ? ALL_ENDPOINTS : ONE_ENDPOINT, conditions);
}

/** Counts endpoint by endpoint and state by state, from the index on these columns. */
function ofGroups(known: string, conditions: DeliveryConditions): string {
  return `
    WITH RECURSIVE ${known}
    SELECT count(*)::int AS count FROM (
      SELECT FROM known k, unnest($1::text[]) AS s (state), LATERAL (
        SELECT FROM delivery d WHERE d.destination_id = k.destination_id AND d.state = s.state
          AND ${isAsResolved(conditions, 'd')} ORDER BY d.id LIMIT ${MOST}) g
      WHERE ${isListed(conditions, 'k')} LIMIT ${MOST}) d`;
}
