import type { Status } from '../../src/domain/payment/status.ts';
import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import {
  urgencyName,
  urgencyNamed,
  type UrgencyClass,
  type UrgencyName,
} from '../../src/domain/polling/urgency.ts';
import { PostgresProviderRateLimit } from '../../src/database/polling/provider-rate-limit.store.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../src/ports/provider-rate-limit.ts';
import { openDataSource } from './data-source.ts';
import type { TestDatabase } from './database.ts';
import { FakeClock } from './fakes/clock.fake.ts';
import { FakePayments } from './fakes/payments.fake.ts';
import { FakeProviderRateLimit, FakeRateLimitRow } from './fakes/provider-rate-limit.fake.ts';
import { FakeSchedule } from './fakes/schedule.fake.ts';
import { LeasingSchedule, type PaymentsOfSuite, type ScheduleOfSuite } from './leasing-stores.ts';
import { openReplicas } from './replicas.ts';
import { databaseOn, URGENCY_RULES, type Stores, PROVIDER } from './stores.ts';

export interface PollingReplica {
  readonly payments: PaymentsOfSuite;
  readonly schedule: ScheduleOfSuite;
  readonly due: WakeSignal;
}

/** A replica of its own with this limit of requests a minute; 0: none. */
export interface LimitedReplica {
  readonly rateLimit: ProviderRateLimit;
  readonly provider: Pick<PaymentProvider, 'name' | 'limits'>;
}

/** When something happens or has happened, from now on. */
export interface ScheduleTimes {
  readonly urgency: UrgencyClass;
  readonly intervalMs: number;
  readonly dueInMs: number;
  readonly polledAgoMs: number;
  readonly answeredAgoMs: number;
  readonly silentForMs: number;
  readonly failures: number;
  readonly pollByInMs: number;
}

/** The stores of polling, shared by two replicas, with a way to look into the schedule and to let time pass. */
export interface PollingStage {
  readonly one: PollingReplica;
  readonly two: PollingReplica;
  replica(maxRpm: number): Promise<LimitedReplica>;
  now(): Date;
  /** Removes all payments and scales, and resets the rate limit to that of the first start. */
  clear(): Promise<void>;
  set(quoteId: string, times: Partial<ScheduleTimes>): Promise<void>;
  /** Null: the payment is not scheduled. */
  row(quoteId: string): Promise<ScheduleRow | null>;
  /** Closes the payment as if it had ended two days ago and been closed for one day. */
  close(quoteId: string, status: Status): Promise<void>;
  /** Lets this time pass. */
  pass(ms: number): Promise<void>;
}

export interface ScheduleRow {
  readonly urgency: UrgencyClass;
  readonly failures: number;
  readonly intervalMs: number;
  /** The time from the last poll to the next. */
  readonly gapMs: number;
  readonly dueInMs: number;
  /** Since 1970. */
  readonly dueAtMs: number;
}

const DAY_MS = 86_400_000;
const TIMEOUT_MS = 5_000;
const RULES = new RecordSettings(900_000, URGENCY_RULES, 'paybell');

function providerWith(maxRpm: number): LimitedReplica['provider'] {
  const limits = { maxConcurrency: 64, batchSize: 1, timeoutMs: TIMEOUT_MS, maxRpm };
  return { name: PROVIDER, limits };
}

/** Each reading is a little later than the last one, as with a real clock. */
class TickingClock extends FakeClock {
  override now(): Date {
    this.advance(1);
    return super.now();
  }
}

export class MemoryStage implements PollingStage {
  readonly one: PollingReplica;
  readonly two: PollingReplica;
  private readonly clock = new TickingClock();
  private readonly payments = new FakePayments(this.clock);
  private readonly due = new WakeSignal();
  private readonly schedule = new FakeSchedule(this.payments, this.clock, this.due, Math.random);
  private readonly rateLimitRow = new FakeRateLimitRow();

  constructor() {
    const { payments, schedule, due } = this;
    this.one = this.two = { payments, schedule, due };
  }

  async replica(maxRpm: number): Promise<LimitedReplica> {
    const provider = providerWith(maxRpm);
    const { schedule, clock, rateLimitRow } = this;
    return { provider, rateLimit: new FakeProviderRateLimit(schedule, provider, clock, rateLimitRow) };
  }

  now(): Date {
    return this.clock.now();
  }

  async clear(): Promise<void> {
    this.payments.rows.clear();
    this.schedule.rows.clear();
    this.schedule.scale = NO_SCALE;
    Object.assign(this.rateLimitRow, new FakeRateLimitRow());
  }

  async set(quoteId: string, times: Partial<ScheduleTimes>): Promise<void> {
    const now = this.now().getTime();
    const { urgency, intervalMs, failures } = times;
    const at = (inMs: number | undefined, sign: 1 | -1): number | undefined =>
      inMs === undefined ? undefined : now + sign * inMs;
    const given = {
      urgency,
      intervalMs,
      failures,
      dueAt: at(times.dueInMs, 1),
      polledAt: at(times.polledAgoMs, -1),
      answeredAt: at(times.answeredAgoMs, -1),
      silentSince: at(times.silentForMs, -1),
      pollBy: at(times.pollByInMs, 1),
    };
    this.schedule.change(
      quoteId,
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    );
  }

  async row(quoteId: string): Promise<ScheduleRow | null> {
    const found = this.schedule.rows.get(quoteId);
    if (found === undefined) return null;
    const { urgency, failures, intervalMs, dueAt, polledAt } = found;
    const gapMs = dueAt - (polledAt ?? Number.NaN);
    return { urgency, failures, intervalMs, gapMs, dueInMs: dueAt - this.now().getTime(), dueAtMs: dueAt };
  }

  async close(quoteId: string, status: Status): Promise<void> {
    const row = this.payments.rows.get(quoteId);
    if (row === undefined) throw new Error(`${quoteId} is not stored`);
    this.schedule.rows.delete(quoteId);
    const now = this.now().getTime();
    row.payment = { ...row.payment, status, tracking: 'closed', endedAt: new Date(now - 2 * DAY_MS) };
    Object.assign(row, { lastPolledAt: new Date(now - DAY_MS), nextPollAt: null });
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
  }
}

export class PostgresStage implements PollingStage {
  one: PollingReplica;
  two: PollingReplica;

  private constructor(
    private readonly db: TestDatabase,
    private readonly stores: readonly [Stores, Stores],
  ) {
    [this.one, this.two] = this.replicas();
  }

  static async open(): Promise<PostgresStage> {
    const { db, one, two } = await openReplicas();
    return new PostgresStage(db, [one, two]);
  }

  async replica(maxRpm: number): Promise<LimitedReplica> {
    const provider = providerWith(maxRpm);
    const database = databaseOn(await openDataSource(this.db));
    return {
      provider,
      rateLimit: new PostgresProviderRateLimit(database, provider as PaymentProvider, RULES),
    };
  }

  now(): Date {
    return new Date();
  }

  async clear(): Promise<void> {
    await this.db.query('DELETE FROM payment');
    await this.db.query('UPDATE interval_scale SET factor = 1');
    await this.db.query('DELETE FROM provider_rate_limit');
    await this.db.query('INSERT INTO provider_rate_limit (provider) VALUES ($1)', [PROVIDER]);
    [this.one, this.two] = this.replicas();
  }

  async set(quoteId: string, times: Partial<ScheduleTimes>): Promise<void> {
    const { urgency, intervalMs, failures } = times;
    await this.db.query(SET, [
      quoteId,
      urgency === undefined ? null : urgencyName(urgency),
      intervalMs ?? null,
      failures ?? null,
      times.dueInMs ?? null,
      times.polledAgoMs ?? null,
      times.answeredAgoMs ?? null,
      times.silentForMs ?? null,
      times.pollByInMs ?? null,
    ]);
  }

  async row(quoteId: string): Promise<ScheduleRow | null> {
    const [found] = await this.db.query<Omit<ScheduleRow, 'urgency'> & { urgency: UrgencyName }>(ROW, [
      quoteId,
    ]);
    return found === undefined ? null : { ...found, urgency: urgencyNamed(found.urgency) };
  }

  async close(quoteId: string, status: Status): Promise<void> {
    await this.db.query('DELETE FROM payment_schedule WHERE quote_id = $1', [quoteId]);
    await this.db.query(
      `UPDATE payment SET status = $2, tracking = 'closed', last_polled_at = now() - interval '1 day',
         ended_at = now() - interval '2 days' WHERE quote_id = $1`,
      [quoteId, status],
    );
  }

  async pass(ms: number): Promise<void> {
    await this.db.query(PASS_SCHEDULE, [ms]);
    await this.db.query(`UPDATE payment SET ended_at = ended_at - $1::float8 * interval '1 millisecond'`, [
      ms,
    ]);
    await this.db.query(PASS_RATE_LIMIT, [ms]);
  }

  /** New schedules without the watermarks of former tests: a test may set earlier due times. */
  private replicas(): [PollingReplica, PollingReplica] {
    const replicaOn = ({ database, payments, wakeSignals, due: dues }: Stores): PollingReplica => {
      const clock = { now: () => new Date() };
      const due = dues.of(PROVIDER);
      const schedule = new LeasingSchedule(wakeSignals, database, RULES, clock, due, PROVIDER);
      return { payments, due, schedule };
    };
    const [one, two] = this.stores;
    return [replicaOn(one), replicaOn(two)];
  }
}

const SET = `
  UPDATE payment_schedule SET urgency = coalesce($2::poll_urgency, urgency),
    interval_ms = coalesce($3::int, interval_ms), failures = coalesce($4::int, failures),
    due_at = coalesce(now() + $5::float8 * interval '1 millisecond', due_at),
    polled_at = coalesce(now() - $6::float8 * interval '1 millisecond', polled_at),
    answered_at = coalesce(now() - $7::float8 * interval '1 millisecond', answered_at),
    silent_since = coalesce(now() - $8::float8 * interval '1 millisecond', silent_since),
    poll_by = coalesce(now() + $9::float8 * interval '1 millisecond', poll_by)
  WHERE quote_id = $1`;

const ROW = `
  SELECT urgency, failures, interval_ms AS "intervalMs",
    extract(epoch FROM due_at - polled_at)::float8 * 1000 AS "gapMs",
    extract(epoch FROM due_at - now())::float8 * 1000 AS "dueInMs", extract(epoch FROM due_at)::float8 * 1000 AS "dueAtMs"
  FROM payment_schedule WHERE quote_id = $1`;

const PASS_SCHEDULE = `
  UPDATE payment_schedule SET due_at = due_at - i, polled_at = polled_at - i, answered_at = answered_at - i,
    noticed_at = noticed_at - i, hinted_at = hinted_at - i, silent_since = silent_since - i,
    unchanged_until = unchanged_until - i, poll_by = poll_by - i
  FROM (SELECT $1::float8 * interval '1 millisecond' AS i) passed`;

const PASS_RATE_LIMIT = `
  UPDATE provider_rate_limit SET refilled_at = refilled_at - $1::float8, slowed_at = slowed_at - $1::float8,
    paused_until = greatest(paused_until - $1::float8, 0), probe_at = greatest(probe_at - $1::float8, 0)`;

/** For describe.each: a contract suite runs on both schedules. */
export const POLLING_STAGES: readonly (readonly [string, () => Promise<PollingStage>])[] = [
  ['in memory', () => Promise.resolve(new MemoryStage())],
  ['in PostgreSQL', () => PostgresStage.open()],
];
