import { Injectable } from '@nestjs/common';

import type { ToldCode } from '../../domain/attention/attention-changes.ts';
import { OPERATIONAL_TYPES } from '../../domain/event/operational-event.ts';
import {
  type DueOperational,
  OperationalEvents,
  type Subscriber,
  type Telling,
} from '../../ports/operational-events.ts';
import { Database } from '../connection/database.ts';

interface ToldRow extends ToldCode {
  readonly id: string;
}

/**
 * Operational events as rows of two small tables, apart from the deliveries of payments: trouble with deliveries must not
 * delay the events about that trouble.
 */
@Injectable()
export class PostgresOperationalEvents extends OperationalEvents {
  constructor(private readonly database: Database) {
    super();
  }

  async subscribers(): Promise<Subscriber[]> {
    const rows = await this.database.query<Omit<Subscriber, 'told'>>(SUBSCRIBERS, [OPERATIONAL_TYPES]);
    if (rows.length === 0) return [];
    const told = await this.database.query<ToldRow>(TOLD, [rows.map(({ id }) => id)]);
    return rows.map((row) => ({ ...row, told: told.filter(({ id }) => id === row.id) }));
  }

  async tell(
    destinationId: string,
    decide: (told: readonly ToldCode[]) => readonly Telling[],
  ): Promise<void> {
    await this.database.transaction(async (queries) => {
      // Lets one process in at a time: two that have read the same state would announce the same events twice.
      const present = await queries.query(LOCK, [destinationId]);
      if (present.length === 0) return;
      for (const { change, delivery } of decide(await queries.query<ToldRow>(TOLD, [[destinationId]]))) {
        const { code, isOpen, openedAt, closedAt } = change.told;
        await queries.query(NOTE, [destinationId, code, isOpen, openedAt, closedAt]);
        if (delivery === null) continue;
        await queries.query(ADD, [delivery.eventId, destinationId, code, delivery.body]);
      }
    });
  }

  claim(limit: number, leaseMs: number, patienceMs: number): Promise<DueOperational[]> {
    return this.database.query<DueOperational>(CLAIM, [limit, leaseMs, patienceMs]);
  }

  async settle({ eventId, token }: DueOperational, retryInMs: number | null): Promise<void> {
    if (retryInMs === null) await this.database.query(REMOVE, [eventId, token]);
    else await this.database.query(RETRY, [eventId, token, retryInMs, 1]);
  }

  async putOff({ eventId, token }: DueOperational, retryInMs: number): Promise<void> {
    await this.database.query(RETRY, [eventId, token, retryInMs, 0]);
  }
}

const SUBSCRIBERS = `
  SELECT id, event_types AS types FROM destination
  WHERE kind = 'webhook' AND enabled AND event_types && $1::text[] ORDER BY created_at, id`;
const LOCK = `SELECT 1 FROM destination WHERE id = $1 AND enabled FOR NO KEY UPDATE`;
const TOLD = `
  SELECT destination_id AS id, code, is_open AS "isOpen", opened_at AS "openedAt", closed_at AS "closedAt"
  FROM attention_told WHERE destination_id = ANY ($1::uuid[]) ORDER BY code`;
const NOTE = `
  INSERT INTO attention_told (destination_id, code, is_open, opened_at, closed_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (destination_id, code) DO UPDATE
  SET is_open = excluded.is_open, opened_at = excluded.opened_at, closed_at = excluded.closed_at`;
const ADD = `INSERT INTO operational_delivery (event_id, destination_id, code, body) VALUES ($1, $2, $3, $4)`;
const CLAIM = `
  UPDATE operational_delivery o SET token = o.token + 1, due_at = now() + $2 * interval '1 millisecond'
  WHERE o.event_id = ANY (ARRAY(
    SELECT d.event_id FROM operational_delivery d JOIN destination x ON x.id = d.destination_id AND x.enabled
    WHERE d.due_at <= now() AND NOT EXISTS (
      SELECT FROM operational_delivery earlier
      WHERE earlier.destination_id = d.destination_id AND earlier.code = d.code AND earlier.created_at < d.created_at
        AND earlier.created_at > now() - $3 * interval '1 millisecond')
    ORDER BY d.created_at LIMIT $1 FOR UPDATE OF d SKIP LOCKED))
  RETURNING o.event_id AS "eventId", o.destination_id AS "destinationId", o.code, o.body, o.token::text AS token, o.retries`;
const REMOVE = `DELETE FROM operational_delivery WHERE event_id = $1 AND token = $2`;
const RETRY = `
  UPDATE operational_delivery SET due_at = now() + $3 * interval '1 millisecond', retries = retries + $4::int
  WHERE event_id = $1 AND token = $2`;
