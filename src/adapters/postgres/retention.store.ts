import { Injectable } from '@nestjs/common';

import { Retention } from '../../ports/retention.ts';
import { Database } from './database.ts';

/** Housekeeping in PostgreSQL. */
@Injectable()
export class PostgresRetention extends Retention {
  constructor(private readonly database: Database) {
    super();
  }

  /** What is still owed to a destination that takes it keeps the payment: it is told or given up before. */
  async removeClosedBefore(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async (queries) => {
      const closed = await queries.query<{ id: string }>(CLOSED, [before, limit]);
      const ids = closed.map((row) => row.id);
      if (ids.length === 0) return 0;
      await queries.query(FORGET_DELIVERIES, [ids]);
      await queries.query(FORGET_SANDBOX, [ids]);
      await queries.query(`DELETE FROM payment WHERE id = ANY ($1::bigint[])`, [ids]);
      return ids.length;
    });
  }

  async discardOrphans(limit: number): Promise<number> {
    const discarded = await this.database.query(DISCARD, [limit]);
    return discarded.length;
  }
}

const CLOSED = `
  SELECT p.id FROM payment p
  WHERE p.tracking = 'closed' AND p.updated_at < $1
    AND NOT EXISTS (
      SELECT 1 FROM delivery d JOIN destination x ON x.id = d.destination_id AND x.enabled
      WHERE d.payment_id = p.id AND d.state = 'pending')
  ORDER BY p.updated_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const FORGET_DELIVERIES = `
  DELETE FROM delivery WHERE event_position = ANY (
    ARRAY(SELECT position FROM event WHERE payment_id = ANY ($1::bigint[])))`;

const FORGET_SANDBOX = `
  DELETE FROM sandbox_payment s USING payment p WHERE p.id = ANY ($1::bigint[]) AND s.quote_id = p.quote_id`;

/** An event that was committed while its endpoint was being deleted leaves a delivery that nobody will claim. */
const DISCARD = `
  UPDATE delivery SET state = 'discarded', due_at = NULL, leased = false
  WHERE id = ANY (ARRAY(
    SELECT d.id FROM delivery d
    WHERE d.state = 'pending' AND NOT EXISTS (SELECT 1 FROM destination x WHERE x.id = d.destination_id)
    ORDER BY d.id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING 1`;
