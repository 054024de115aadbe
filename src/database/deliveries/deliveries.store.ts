import { Injectable } from '@nestjs/common';

import {
  Deliveries,
  type DueDelivery,
  type NextDue,
  type Probe,
  type Settled,
  type Settlement,
  type Slots,
  type TargetChange,
  type Trace,
} from '../../ports/deliveries.ts';
import type { Queries } from '../../ports/queries.ts';
import { Database } from '../connection/database.ts';
import { prepared } from '../connection/prepared.ts';
import { claimDeliveries, DeliveryWatermarks } from './claim-deliveries.ts';

const TAKE_PROBES = `
  SELECT destination_id AS "targetId", is_untried AS "isUntried" FROM take_probes($1::uuid[], $2)`;
const BRING_FORWARD = `SELECT bring_forward($1, 1000)`;

/**
 * Deliveries in PostgreSQL. In a lane without failures only the head has a due time, so that a claim is one index scan.
 */
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

/** The targets at which deliveries are due, and one state change, if there was any. */
interface SettledRow {
  readonly due_destinations: readonly string[] | null;
  readonly destination_id: string | null;
  readonly change: TargetChange['change'] | null;
}

/**
 * Writes outcomes, makes the next delivery of each lane due and stores the attempts, in one round trip and one
 * transaction.
 */
export async function settleDeliveries(
  queries: Queries,
  settlements: readonly Settlement[],
): Promise<Settled> {
  const rows = await queries.query<SettledRow>(SETTLE, [
    settlements.map(({ delivery }) => delivery.id),
    settlements.map(({ delivery }) => delivery.token),
    settlements.map(stateOf),
    settlements.map(({ outcome, retryInMs }) => (outcome.kind === 'held' ? outcome.retryInMs : retryInMs)),
    settlements.map(({ outcome }) => (outcome.kind === 'held' ? 0 : 1)),
    settlements.map(({ holdsLane }) => holdsLane),
    settlements.map(({ lanePatienceMs }) => lanePatienceMs),
    settlements.map(({ outcome }) => (outcome.kind === 'failed' ? outcome.failure : null)),
    settlements.map(({ outcome }) => (outcome.kind === 'failed' ? (outcome.code ?? null) : null)),
    settlements.map(({ outcome }) => (outcome.kind === 'held' ? null : outcome.httpStatus)),
    settlements.map(({ outcome }) => outcome.kind === 'delivered' && outcome.isRouted === true),
    settlements.map((settlement) => isStored(settlement)),
    settlements.map(({ durationMs }) => Math.round(durationMs)),
    settlements.map(({ ageMs }) => ageMs),
    settlements.map((settlement) => traceOf(settlement)?.address ?? null),
    settlements.map((settlement) => traceOf(settlement)?.excerpt ?? null),
    settlements.map(({ delivery, outcome }) => outcome.kind === 'failed' && !delivery.isUnscheduled),
    settlements.map((settlement) => countsForCircuit(settlement)),
  ]);
  const changes = rows.flatMap(({ destination_id: targetId, change }) =>
    change === null || targetId === null ? [] : [{ targetId, change }],
  );
  return { changes, dueTargets: rows[0]?.due_destinations ?? [] };
}

function stateOf({ outcome, retryInMs }: Settlement): string {
  if (outcome.kind === 'delivered') return 'delivered';
  return outcome.kind === 'failed' && retryInMs === null ? 'failed' : 'pending';
}

function isStored(settlement: Settlement): boolean {
  const { outcome } = settlement;
  return traceOf(settlement) !== null || (outcome.kind !== 'held' && outcome.isStored === true);
}

function countsForCircuit(settlement: Settlement): boolean {
  const { outcome } = settlement;
  return traceOf(settlement) !== null && outcome.kind !== 'held' && outcome.isStored !== true;
}

function traceOf({ outcome }: Settlement): Trace | null {
  return outcome.kind === 'held' ? null : (outcome.trace ?? null);
}

/** The second function gets the answer of the first, and so begins after it. */
const SETTLE = prepared(`
  SELECT settled.due_destinations, noted.destination_id, noted.change
  FROM settle_deliveries($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::int[], $6::boolean[], $7::bigint[],
      $8::text[], $9::text[], $10::smallint[], $11::boolean[], $12::boolean[], $13::int[], $14::float8[], $15::text[],
      $16::text[])
    AS settled
  LEFT JOIN LATERAL note_outcomes(settled.held, $1::bigint[], $8::text[], $18::boolean[], $17::boolean[]) AS noted
    ON true`);
