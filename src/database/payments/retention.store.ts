import { Injectable } from '@nestjs/common';

import { Retention, type Removed } from '../../ports/retention.ts';
import type { Queries } from '../../ports/queries.ts';
import { QuoteTables } from '../../ports/quote-tables.ts';
import { Database } from '../connection/database.ts';
import { forgetUnwanted } from '../deliveries/forget-unwanted.ts';

/**
 * The most deliveries, with their attempts, in a batch of payments: one payment of five events at 1,000 endpoints has this
 * many.
 */
const MAX_DELIVERIES = 5_000;

/** Housekeeping in PostgreSQL. */
@Injectable()
export class PostgresRetention extends Retention {
  constructor(
    private readonly database: Database,
    private readonly quoteTables: QuoteTables,
  ) {
    super();
  }

  /** Keeps a payment while one of its deliveries is pending at an enabled destination. */
  async removeClosedBefore(before: Date, limit: number): Promise<Removed> {
    return this.database.transaction(async (queries) => {
      const closed = await queries.query<{ id: string }>(CLOSED, [before, limit]);
      const ids = closed.map((row) => row.id);
      if (ids.length === 0) return { count: 0, isMore: false };
      if (!(await removeDeliveries(queries, ids))) return { count: 0, isMore: true };
      for (const { name } of this.quoteTables.all) await queries.query(forgetQuotesIn(name), [ids]);
      await queries.query(`DELETE FROM payment WHERE id = ANY ($1::bigint[])`, [ids]);
      return { count: ids.length, isMore: ids.length === limit };
    });
  }

  async discardOrphans(limit: number): Promise<Removed> {
    const { length: count } = await this.database.query(DISCARD, [limit]);
    return { count, isMore: count === limit };
  }

  async removeUnwanted(): Promise<number> {
    const endpoints = await this.database.query<{ id: string }>(WITH_TYPES);
    let count = 0;
    for (const { id } of endpoints) count += await forgetUnwanted(this.database, id);
    return count;
  }

  async removeOrphanCircuits(): Promise<number> {
    const { length: count } = await this.database.query(FORGET_CIRCUITS);
    return count;
  }

  async removeAudit(before: Date, limit: number): Promise<Removed> {
    const [row] = await this.database.query<{ count: number }>(`SELECT remove_audit($1, $2) AS count`, [
      before,
      limit,
    ]);
    const count = row?.count ?? 0;
    return { count, isMore: count === limit };
  }

  async removeKeyUses(before: Date): Promise<number> {
    const { length: count } = await this.database.query(FORGET_USES, [before]);
    return count;
  }
}

/**
 * False when some deliveries are left. Removes all deliveries of an event together, so that no replay finds only half of them.
 */
async function removeDeliveries(queries: Queries, paymentIds: readonly string[]): Promise<boolean> {
  const read = await queries.query<{ id: string; position: string }>(DELIVERIES, [paymentIds]);
  const isAll = read.length < MAX_DELIVERIES;
  const cut = isAll || read[0]?.position === read.at(-1)?.position ? undefined : read.at(-1)?.position;
  const whole = read.filter(({ position }) => position !== cut);
  const ids = whole.map(({ id }) => id);
  await queries.query(`DELETE FROM delivery WHERE id = ANY ($1::bigint[])`, [ids]);
  // Runs as a statement of its own: it sees attempts that another process settled during the wait for the lock.
  await queries.query(`DELETE FROM earlier_attempt WHERE delivery_id = ANY ($1::bigint[])`, [ids]);
  if (cut !== undefined)
    await queries.query(`DELETE FROM event_entry WHERE position = ANY ($1::bigint[])`, [
      whole.map(({ position }) => position),
    ]);
  return isAll;
}

const CLOSED = `
  SELECT p.id FROM payment p
  WHERE p.tracking = 'closed' AND p.updated_at < $1
    AND NOT EXISTS (
      SELECT 1 FROM delivery d JOIN destination x ON x.id = d.destination_id AND x.enabled
      WHERE d.payment_id = p.id AND d.state = 'pending')
  ORDER BY p.updated_at, p.id LIMIT $2 FOR UPDATE SKIP LOCKED`;

/** Goes event by event through the index: the limit then ends the reading, not only the removing. */
const DELIVERIES = `
  SELECT d.id, e.position
  FROM (SELECT position FROM event WHERE payment_id = ANY ($1::bigint[]) ORDER BY position) e,
  LATERAL (SELECT id FROM delivery WHERE event_position = e.position LIMIT ${MAX_DELIVERIES}) d
  LIMIT ${MAX_DELIVERIES}`;

function forgetQuotesIn(table: string): string {
  return `DELETE FROM ${table} q USING payment p WHERE p.id = ANY ($1::bigint[]) AND q.quote_id = p.quote_id`;
}

/** Discards deliveries that are never claimed: their event was committed while the endpoint was being deleted. */
const DISCARD = `
  UPDATE delivery SET state = 'discarded', due_at = NULL, leased = false
  WHERE id = ANY (ARRAY(
    SELECT d.id FROM delivery d
    WHERE d.state = 'pending' AND NOT EXISTS (SELECT 1 FROM destination x WHERE x.id = d.destination_id)
    ORDER BY d.id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING 1`;

const WITH_TYPES = `SELECT id FROM destination WHERE kind = 'webhook' AND event_types <> '{}' ORDER BY id`;

const FORGET_USES = `DELETE FROM key_use WHERE used_at < $1 RETURNING 1`;

const FORGET_CIRCUITS = `
  DELETE FROM endpoint_circuit c
  WHERE NOT EXISTS (SELECT 1 FROM destination x WHERE x.id = c.destination_id) RETURNING 1`;
