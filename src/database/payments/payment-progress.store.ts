import { Injectable } from '@nestjs/common';

import type { LoggedDelivery } from '../../ports/delivery-log.ts';
import { DestinationKinds, RABBITMQ } from '../../ports/destinations.ts';
import { PaymentProgresses, type PaymentProgress } from '../../ports/payment-progress.ts';
import { Database } from '../connection/database.ts';
import { deliveryOf, type DeliveryRow } from '../deliveries/delivery-row.ts';
import { rowsOf } from '../deliveries/list-deliveries.ts';
import { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { SecretBox } from '../secrets/secret-box.ts';

interface PolledRow {
  readonly quote_id: string;
  readonly last_polled_at: Date | null;
  readonly next_poll_at: Date | null;
}

/** Reads schedules and deliveries for a page of payments, with one statement each. */
@Injectable()
export class PostgresPaymentProgresses extends PaymentProgresses {
  private readonly secrets: EndpointSecrets;

  constructor(
    private readonly database: Database,
    box: SecretBox,
    private readonly kinds: DestinationKinds,
  ) {
    super();
    this.secrets = new EndpointSecrets(box);
  }

  async of(quoteIds: readonly string[]): Promise<PaymentProgress[]> {
    const polled = await this.database.reads.query<PolledRow>(READ_POLLS, [quoteIds]);
    const rows = await this.database.reads.query<DeliveryRow>(rowsOf(LATEST_DELIVERIES), [quoteIds]);
    const all = rows.map((row) => deliveryOf(row, this.secrets, this.kinds));
    return polled.map((row) => progressOf(row, all));
  }
}

function progressOf(row: PolledRow, all: readonly LoggedDelivery[]): PaymentProgress {
  const own = all.filter(({ quoteId }) => quoteId === row.quote_id);
  return {
    quoteId: row.quote_id,
    lastPolledAt: row.last_polled_at,
    nextPollAt: row.next_poll_at,
    deliveries: own.filter(({ destination }) => destination.kind === 'webhook'),
    exchange: own.find(({ destination }) => destination.kind === RABBITMQ) ?? null,
  };
}

const READ_POLLS = `
  SELECT p.quote_id, coalesce(s.polled_at, p.last_polled_at) AS last_polled_at,
    CASE WHEN p.tracking <> 'closed' THEN s.due_at END AS next_poll_at
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (quote_id, place)
  JOIN payment p ON p.quote_id = asked.quote_id LEFT JOIN payment_schedule s ON s.payment_id = p.id
  ORDER BY asked.place`;

/** The endpoints and RabbitMQ's exchange, whose row is disabled where nothing is published. */
const SHOWN = `SELECT id FROM destination WHERE kind = 'webhook' OR (kind = '${RABBITMQ}' AND enabled)`;

/** The arrays make PostgreSQL use indexes, however many payments and endpoints there are. */
const LATEST_DELIVERIES = `
  chosen AS MATERIALIZED (
    SELECT d.id, d.payment_id, d.destination_id, d.sequence, d.state = 'delivered' AS is_acknowledged
    FROM event_entry e JOIN delivery d ON d.event_position = e.position
    WHERE e.payment_id = ANY (ARRAY(SELECT id FROM payment WHERE quote_id = ANY ($1::text[])))
      AND d.destination_id = ANY (ARRAY(${SHOWN}))
  ), page AS (
    SELECT DISTINCT ON (payment_id, destination_id) id FROM chosen
    ORDER BY payment_id, destination_id, is_acknowledged, CASE WHEN is_acknowledged THEN -sequence ELSE sequence END
  )`;
