import { Injectable } from '@nestjs/common';

import { DeliveryFigures, type DeliveriesNow, type DeliveryTroubles } from '../../ports/delivery-figures.ts';
import { UntoldPayments } from '../../ports/untold-payments.ts';
import { WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { Database } from '../connection/database.ts';
import { SETTLED } from './bounded-reading.ts';
import { pendingOf } from './pending-of-endpoints.ts';

interface OpenRow {
  readonly endpoints: number;
  readonly waiting: number;
  readonly is_more: boolean | null;
  readonly oldest_at: Date | null;
}

/** Figures of the deliveries. Reads only the oldest pending delivery of each destination: no backlog is counted. */
@Injectable()
export class PostgresDeliveryFigures extends DeliveryFigures {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookEndpoints,
    private readonly untold: UntoldPayments,
  ) {
    super();
  }

  async now(): Promise<DeliveriesNow> {
    const oldest = await this.database.looks.query<DeliveriesNow['oldest'][number]>(OLDEST);
    const endpoints = await this.database.looks.query<DeliveriesNow['endpoints'][number]>(ENDPOINTS);
    const { length: unreadableSecrets } = await this.webhooks.unreadable();
    return { oldest, endpoints, unreadableSecrets, untold: await this.untold.now() };
  }

  async troubles(): Promise<DeliveryTroubles> {
    const { length: unreadableSecrets } = await this.webhooks.unreadable();
    const [row] = await this.database.looks.query<OpenRow>(OPEN_CIRCUITS);
    const untold = await this.untold.now();
    return { unreadableSecrets, untold, openCircuits: row === undefined ? null : openCircuitsOf(row) };
  }

  async overdue(): Promise<number> {
    const [row] = await this.database.looks.query<{ overdue: number }>(OVERDUE);
    return row?.overdue ?? 0;
  }
}

function openCircuitsOf(row: OpenRow): DeliveryTroubles['openCircuits'] {
  const { endpoints, waiting, oldest_at: oldestAt } = row;
  return oldestAt === null ? null : { endpoints, waiting, isMore: row.is_more === true, oldestAt };
}

/**
 * Two steps into the index `delivery_listed` for each destination, and one step to the event of each delivery found.
 * The first event that was recorded while its endpoint was disabled counts after the endpoint is enabled too. Leaves out
 * the unsent events of settled payments, and deliveries that were pending for a destination without endpoints, such as
 * RabbitMQ, when it was turned off.
 */
const OLDEST = `
  SELECT first.kind AS destination, first.cause,
    greatest(extract(epoch FROM now() - (SELECT e.time FROM event e WHERE e.position = first.position)) * 1000, 0)
      ::float8 AS "ageMs"
  FROM (
    SELECT x.kind,
      CASE WHEN NOT x.enabled OR d.state = 'discarded' THEN 'disabled' WHEN c.state = 'open' THEN 'circuit_open'
        WHEN d.attempts > 0 THEN 'failing' ELSE 'waiting' END AS cause,
      min(d.event_position) AS position
    FROM destination x
    LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
    CROSS JOIN LATERAL (
      (SELECT state, attempts, event_position FROM delivery
       WHERE destination_id = x.id AND state = 'pending' ORDER BY id LIMIT 1)
      UNION ALL
      (SELECT u.state, u.attempts, u.event_position FROM delivery u
       WHERE u.destination_id = x.id AND u.state = 'discarded' AND x.url IS NOT NULL
         AND NOT EXISTS (SELECT FROM payment p WHERE p.id = u.payment_id AND ${SETTLED} OFFSET 0)
       ORDER BY u.id LIMIT 1)
    ) d
    WHERE x.enabled OR x.url IS NOT NULL
    GROUP BY 1, 2
  ) first`;

const ENDPOINTS = `
  SELECT endpoint_state(x.id) AS state, count(*)::int AS endpoints
  FROM destination x WHERE x.kind = 'webhook' GROUP BY 1`;

/** Reads at most ten thousand index entries, but at least ten of each endpoint. */
const OPEN_CIRCUITS = `
  WITH open AS MATERIALIZED (
    SELECT x.id FROM endpoint_circuit c JOIN destination x ON x.id = c.destination_id AND x.enabled
    WHERE c.state = 'open'
  ), bound AS MATERIALIZED (
    SELECT greatest(10, 10000 / greatest(count(*), 1)) AS most FROM open
  )
  SELECT count(*)::int AS endpoints, coalesce(sum(backlog.pending), 0)::int AS waiting,
    bool_or(backlog.pending = bound.most) AS is_more, min(oldest.created_at) AS oldest_at
  FROM open CROSS JOIN bound
  CROSS JOIN LATERAL (${pendingOf('open.id', 'bound.most')}) backlog
  JOIN delivery oldest ON oldest.id = backlog.oldest_id`;

/** Leaves out endpoints whose circuit is open: the endpoint itself causes their delay. */
const OVERDUE = `
  SELECT count(*)::int AS overdue FROM (
    SELECT 1 FROM delivery d
    JOIN destination x ON x.id = d.destination_id AND x.enabled
    LEFT JOIN endpoint_circuit c ON c.destination_id = x.id AND c.state = 'open'
    WHERE d.due_at < now() - interval '10 seconds' AND c.state IS NULL LIMIT 10000) late`;
