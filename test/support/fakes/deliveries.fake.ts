import {
  Deliveries,
  MAX_CLAIMED,
  type DueDelivery,
  type NextDue,
  type Probe,
  type Settled,
  type Settlement,
  type Slots,
  type Target,
  type TargetChange,
} from '../../../src/ports/deliveries.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import { FakeCircuit } from './fake-circuit.ts';

const BROUGHT_AFTER_MS = 5_000;

interface Row {
  readonly id: number;
  readonly quoteId: string;
  readonly destinationId: string;
  readonly sequence: number;
  readonly recordedAt: number;
  state: 'pending' | 'delivered' | 'failed';
  lane: 'waiting' | 'head' | 'released';
  dueAt: number | null;
  laneDueAt: number | null;
  resumeAt: number | null;
  triedAt: number;
  /** When the delivery first failed; null: it was not tried, or is delivered. */
  failedAt: number | null;
  isLeased: boolean;
  isUnscheduled: boolean;
  token: number;
  attempts: number;
  retries: number;
}

/** The lanes and circuits of endpoints in memory, on any clock. */
export class FakeDeliveries extends Deliveries {
  private readonly rows = new Map<number, Row>();
  private readonly lanes = new Map<string, Row[]>();
  private readonly pending = new Map<string, Set<Row>>();
  private readonly circuits = new Map<string, FakeCircuit>();

  constructor(private readonly timers: Timers) {
    super();
  }

  circuit(destinationId: string): FakeCircuit {
    const circuit = this.circuits.get(destinationId) ?? new FakeCircuit();
    this.circuits.set(destinationId, circuit);
    return circuit;
  }

  /** The endpoint in the form for a dispatcher. */
  target(destinationId: string): Target {
    const { state, recoveredAt } = this.circuit(destinationId);
    const recoveredForMs = recoveredAt === -Infinity ? null : this.timers.nowMs() - recoveredAt;
    return { id: destinationId, circuit: state, recoveredForMs };
  }

  /** Does for one event and one destination what record_events does. */
  record(quoteId: string, sequence: number, destinationId: string): void {
    const now = this.timers.nowMs();
    const lane = this.pendingOf(quoteId, destinationId);
    const dueAts = lane.flatMap(({ laneDueAt }) => (laneDueAt === null ? [] : [laneDueAt]));
    const laneDueAt = dueAts.length === 0 ? null : Math.min(...dueAts);
    const isHead = lane.every((row) => row.lane === 'released');
    for (const row of lane) this.bringForward1(row, now);
    const row: Row = {
      id: this.rows.size + 1,
      quoteId,
      destinationId,
      sequence,
      recordedAt: now,
      state: 'pending',
      lane: isHead ? 'head' : 'waiting',
      dueAt: isHead ? now : laneDueAt === null ? null : Math.max(laneDueAt, now),
      laneDueAt,
      resumeAt: null,
      triedAt: -Infinity,
      failedAt: null,
      isLeased: false,
      isUnscheduled: false,
      token: 0,
      attempts: 0,
      retries: 0,
    };
    this.rows.set(row.id, row);
    this.pending.set(destinationId, (this.pending.get(destinationId) ?? new Set()).add(row));
    const key = keyOf(row);
    this.lanes.set(key, [...(this.lanes.get(key) ?? []), row]);
  }

  claim(slots: readonly Slots[], leaseMs: number): Promise<DueDelivery[]> {
    const now = this.timers.nowMs();
    const claimed = new Set(slots.flatMap((slot) => this.chosen(slot, now)).slice(0, MAX_CLAIMED));
    for (const row of claimed) this.lease(row, now, leaseMs);
    return Promise.resolve([...claimed].toSorted((a, b) => a.id - b.id).map((row) => dueOf(row, now)));
  }

  settle(settlements: readonly Settlement[]): Promise<Settled> {
    const now = this.timers.nowMs();
    const held = settlements.filter(({ delivery: { id, token } }) => {
      const row = this.rows.get(Number(id));
      return row?.state === 'pending' && row.token === Number(token);
    });
    const due = held.flatMap((settlement) => this.settleOne(settlement, now));
    const changes: TargetChange[] = [];
    for (const targetId of new Set(held.map(({ delivery }) => delivery.destinationId))) {
      const own = held.filter(
        ({ delivery, outcome }) => delivery.destinationId === targetId && outcome.kind !== 'held',
      );
      const change =
        own.length === 0 ? null : this.circuit(targetId).note(own, (each) => this.refusedSince(each), now);
      if (change !== null) changes.push({ targetId, change });
    }
    return Promise.resolve({ changes, dueTargets: [...new Set(due)] });
  }

  dueWithin(targetIds: readonly string[], withinMs: number): Promise<readonly NextDue[]> {
    const now = this.timers.nowMs();
    const found = targetIds.flatMap((targetId) => {
      const dueAt = Math.min(...this.pendingAt(targetId).map((row) => row.dueAt ?? Infinity));
      return dueAt <= now + withinMs ? [{ targetId, inMs: Math.max(dueAt - now, 0) }] : [];
    });
    return Promise.resolve(found);
  }

  takeProbes(targetIds: readonly string[], leaseMs: number): Promise<readonly Probe[]> {
    const now = this.timers.nowMs();
    const probes = targetIds.flatMap((targetId) => {
      const rows = this.pendingAt(targetId);
      const hasNext = rows.some((row) => row.dueAt !== null && (row.dueAt <= now || isOpenToProbes(row)));
      const isUntried = this.circuit(targetId).takeProbe(
        rows.some((row) => isUntriedRow(row, now)),
        hasNext,
        now,
        leaseMs,
      );
      return isUntried === null ? [] : [{ targetId, isUntried }];
    });
    return Promise.resolve(probes);
  }

  bringForward(targetId: string): Promise<void> {
    const now = this.timers.nowMs();
    const circuit = this.circuit(targetId);
    for (const row of this.pendingAt(targetId))
      if ((row.dueAt ?? 0) > now && !row.isLeased && row.retries > 0 && row.triedAt < circuit.recoveredAt) {
        row.dueAt = now;
        row.retries -= 1;
      }
    if (circuit.state === 'recovering') circuit.state = 'closed';
    return Promise.resolve();
  }

  private bringForward1(row: Row, now: number): void {
    const dueAt = Math.max(now, row.triedAt + BROUGHT_AFTER_MS);
    const waits = row.lane === 'head' && !row.isLeased && row.retries > 0 && !row.isUnscheduled;
    if (!waits || (row.dueAt ?? 0) <= dueAt) return;
    Object.assign(row, { dueAt, retries: row.retries - 1, isUnscheduled: true });
  }

  private chosen({ destinationId, free, isProbe, untried }: Slots, now: number): Row[] {
    const rows = this.pendingAt(destinationId).filter((row) => row.dueAt !== null);
    const first = rows
      .filter((row) => untried !== undefined && isUntriedRow(row, now))
      .toSorted((a, b) => b.id - a.id)
      .slice(0, free);
    if (untried === 'only') return first;
    const due = rows
      .filter((row) => (row.dueAt ?? 0) <= now || (isProbe && isOpenToProbes(row)))
      .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || a.id - b.id);
    return [...first, ...due.slice(0, free - first.length)];
  }

  private lease(row: Row, now: number, leaseMs: number): void {
    const isEarly = (row.dueAt ?? 0) > now;
    Object.assign(row, {
      isLeased: true,
      token: row.token + 1,
      resumeAt: isEarly ? row.dueAt : null,
      retries: isEarly ? Math.max(row.retries - 1, 0) : row.retries,
      dueAt: now + leaseMs,
      triedAt: now,
      lane: row.lane === 'waiting' ? 'released' : row.lane,
    });
  }

  /** The destinations at which the next delivery of the lane is due now. */
  private settleOne({ delivery, outcome, retryInMs, lanePatienceMs }: Settlement, now: number): string[] {
    const row = this.rows.get(Number(delivery.id)) as Row;
    const inMs = outcome.kind === 'held' ? outcome.retryInMs : retryInMs;
    const isTried = outcome.kind !== 'held';
    row.state = outcome.kind === 'delivered' ? 'delivered' : inMs === null ? 'failed' : 'pending';
    row.failedAt = row.state === 'delivered' ? null : (row.failedAt ?? (isTried ? row.triedAt : null));
    row.isLeased = false;
    row.token += 1;
    row.attempts += Number(isTried);
    row.retries += Number(isTried);
    row.isUnscheduled &&= !isTried;
    row.dueAt = row.state === 'pending' ? now + (inMs ?? 0) : null;
    if (row.state !== 'pending') this.pending.get(row.destinationId)?.delete(row);
    if (outcome.kind === 'failed' && row.lane === 'head' && lanePatienceMs !== null)
      row.laneDueAt ??= now + lanePatienceMs;
    const lane = this.pendingOf(row.quoteId, row.destinationId);
    const next = lane.some((each) => each.lane === 'head')
      ? undefined
      : lane.find((each) => each.lane === 'waiting');
    if (next !== undefined)
      Object.assign(next, { lane: 'head', dueAt: now, laneDueAt: next.laneDueAt ?? row.laneDueAt });
    for (const each of lane)
      if (row.laneDueAt !== null && each.lane === 'waiting' && each.laneDueAt === null)
        Object.assign(each, { laneDueAt: row.laneDueAt, dueAt: Math.max(row.laneDueAt, now) });
    return next === undefined ? [] : [row.destinationId];
  }

  private refusedSince(delivery: DueDelivery): number {
    const lane = this.lanes.get(keyOf(delivery)) ?? [];
    return Math.min(...lane.map(({ failedAt }) => failedAt ?? Infinity));
  }

  private pendingOf(quoteId: string, destinationId: string): Row[] {
    return (this.lanes.get(keyOf({ quoteId, destinationId })) ?? []).filter((row) => row.state === 'pending');
  }

  private pendingAt(destinationId: string): Row[] {
    return [...(this.pending.get(destinationId) ?? [])];
  }
}

function keyOf({ quoteId, destinationId }: Pick<Row, 'quoteId' | 'destinationId'>): string {
  return `${quoteId} ${destinationId}`;
}

function isUntriedRow({ attempts, dueAt, isLeased }: Row, now: number): boolean {
  return attempts === 0 && dueAt !== null && dueAt <= now && !isLeased;
}

function isOpenToProbes(row: Row): boolean {
  return !row.isLeased && row.lane !== 'waiting';
}

function dueOf(row: Row, now: number): DueDelivery {
  const { attempts, retries, isUnscheduled, resumeAt } = row;
  return {
    id: String(row.id),
    token: String(row.token),
    destinationId: row.destinationId,
    quoteId: row.quoteId,
    provider: 'http',
    orderId: null,
    eventId: `${row.quoteId}#${row.sequence}`,
    type: 'payment.updated',
    sequence: row.sequence,
    time: new Date(row.recordedAt),
    body: '{}',
    traceparent: null,
    attempts,
    retries,
    isUnscheduled,
    resumeInMs: resumeAt === null ? null : resumeAt - now,
  };
}
