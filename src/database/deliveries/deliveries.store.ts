import { Injectable } from '@nestjs/common';

import {
  Deliveries,
  type NextDue,
  type DueDelivery,
  type Settlement,
  type Probe,
  type Settled,
  type Slots,
} from '../../ports/deliveries.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { Database } from '../connection/database.ts';
import { DeliveryWatermarks } from './delivery-watermarks.ts';
import { settleDeliveries } from './settle-deliveries.ts';

const TAKE_PROBES = `
  SELECT destination_id AS "targetId", is_untried AS "isUntried" FROM take_probes($1::uuid[], $2)`;
const BRING_FORWARD = `SELECT bring_forward($1, 1000)`;

/** Deliveries in PostgreSQL. Of a lane that is well only the head has a due time, so that a claim is one index scan. */
@Injectable()
export class PostgresDeliveries extends Deliveries {
  private readonly watermarks: DeliveryWatermarks;

  constructor(private readonly database: Database) {
    super();
    this.watermarks = new DeliveryWatermarks(database.clock);
  }

  claim(slots: readonly Slots[], leaseMs: number): Promise<DueDelivery[]> {
    return claimDeliveries(this.database, this.watermarks, slots, leaseMs);
  }

  settle(settlements: readonly Settlement[]): Promise<Settled> {
    return this.database.withDeadlockRetry(() => settleDeliveries(this.database, settlements));
  }

  async dueWithin(targetIds: readonly string[], withinMs: number): Promise<readonly NextDue[]> {
    if (targetIds.length === 0) return [];
    const rows = await this.database.query<{ id: string; in_ms: number }>(DUE_WITHIN, [
      targetIds,
      withinMs,
      this.watermarks.of(targetIds),
    ]);
    return rows.map((row) => ({ targetId: row.id, inMs: Math.max(0, row.in_ms) }));
  }

  takeProbes(targetIds: readonly string[], leaseMs: number): Promise<readonly Probe[]> {
    return this.database.query<Probe>(TAKE_PROBES, [targetIds, leaseMs]);
  }

  async bringForward(targetId: string): Promise<void> {
    await this.database.withDeadlockRetry(() => this.database.query(BRING_FORWARD, [targetId]));
  }
}

const DUE_WITHIN = `
  SELECT target.id, (extract(epoch FROM next.due_at - now()) * 1000)::float8 AS in_ms
  FROM unnest($1::uuid[], $3::float8[]) AS target (id, from_ms),
  LATERAL (
    SELECT due_at FROM delivery
    WHERE destination_id = target.id AND due_at >= to_timestamp(target.from_ms / 1000)
      AND due_at <= now() + $2 * interval '1 millisecond'
    ORDER BY due_at LIMIT 1
  ) next`;
