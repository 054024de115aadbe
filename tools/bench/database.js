/** A database for one measurement, with the service's own schema, filled by SQL and measured by PostgreSQL's counters. */
import { randomBytes, randomUUID } from 'node:crypto';

import pg from 'pg';
import { DataSource } from 'typeorm';

import { pause } from './pause.js';
import { reportText } from './reports.js';
import { service } from './service-modules.js';

const { dataSourceOptions, migrate, writePartDigests, readReport } = service;

const CHUNK = 5_000;
/** PostgreSQL's processes publish their counters about once a second. */
const COUNTERS_SETTLE_MS = 1_200;

export class Database {
  /** @param {import('./server.js').Server} server @param {string} name */
  constructor(server, name) {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    this.url = url.href;
    this.server = server;
    this.name = name;
    this.pool = new pg.Pool({ connectionString: this.url, max: 2 });
    this.pool.on('error', () => undefined);
  }

  static async create(/** @type {import('./server.js').Server} */ server) {
    const database = new Database(server, `paybell_bench_${process.pid}_${randomBytes(4).toString('hex')}`);
    await database.create();
    return database;
  }

  async create() {
    await this.server.query(`CREATE DATABASE ${this.name}`);
    const source = await new DataSource(dataSourceOptions(this.url, 2)).initialize();
    await migrate(source);
    await source.destroy();
  }

  /**
   * Open payments that were made an hour ago and polled before, in the state that the service leaves; they become due one
   * after another.
   */
  async addPayments(/** @type {number} */ count, /** @type {number} */ intervalMs) {
    for (let done = 0; done < count; done += CHUNK) {
      const quoteIds = Array.from({ length: Math.min(CHUNK, count - done) }, () => randomUUID());
      const reports = quoteIds.map((id) => reportText(id));
      const read = reports.map((text) => readReport(JSON.parse(text), text));
      const none = { deposit: '', gas: '', execution: '', error: '' };
      const partDigests = read.map((report) => writePartDigests({ ...none, ...report.partDigests }));
      const values = [quoteIds, reports, partDigests, read.map((report) => report.digest), intervalMs];
      await this.pool.query(ADD_PAYMENTS, values);
    }
    await this.pool.query('VACUUM ANALYZE payment, payment_text, payment_schedule');
  }

  /** The number of recorded changes, of open payments and of open deliveries. */
  async progress() {
    const { rows } = await this.pool.query(PROGRESS);
    return rows[0];
  }

  /** How many payments wait to be polled. */
  async due() {
    const { rows } = await this.pool.query(
      'SELECT count(*)::int AS due FROM payment_schedule WHERE due_at <= now()',
    );
    return rows[0].due;
  }

  /** PostgreSQL counts by database, and WAL by server: other programs on the server add to the WAL. */
  async counters() {
    await pause(COUNTERS_SETTLE_MS);
    const { rows } = await this.pool.query(COUNTERS);
    const { commits, written, wal } = rows[0];
    return { commits: Number(commits), written: Number(written), wal: Number(wal) };
  }

  async close() {
    if (!this.pool.ended) await this.pool.end();
  }

  async drop() {
    await this.close();
    await this.server.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }
}

const ADD_PAYMENTS = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS t (quote_id, report, part_digests, digest)
  ), paid AS (
    INSERT INTO payment (provider, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, expires_at,
      updated_at, progress_at, part_digests, report_digest, stalls, contradictions)
    SELECT 'http', quote_id, 'A-' || left(quote_id, 8), '{"shop":"bench"}', 'AWAITING_DEPOSIT', false, 1, 'active',
      now() - interval '1 hour', to_timestamp(2000000000), now(), now(), part_digests, digest, '{}', '{}'
    FROM input
    RETURNING id, quote_id, report_digest
  ), reported AS (
    INSERT INTO payment_text (payment_id, texts, reported_at)
    SELECT p.id, ARRAY[t.report], now() FROM paid p JOIN input t USING (quote_id)
  )
  INSERT INTO payment_schedule (provider, payment_id, quote_id, report_digest, due_at, interval_ms, urgency, polled_at, unchanged_until)
  SELECT 'http', id, quote_id, report_digest, now() + random() * $5 * interval '1 millisecond', $5, 'unattended', now(),
    now() + interval '1 hour' FROM paid`;

const PROGRESS = `
  SELECT (SELECT count(*)::int FROM event_entry) AS recorded,
    (SELECT count(*)::int FROM payment_schedule) AS open,
    (SELECT count(*)::int FROM delivery WHERE state = 'pending') AS pending`;

const COUNTERS = `
  SELECT xact_commit AS commits, tup_inserted + tup_updated + tup_deleted AS written,
    pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal
  FROM pg_stat_database WHERE datname = current_database()`;
