/** A PostgreSQL for the comparison alone, so that all of its counters belong to the measured service. */
import pg from 'pg';

import { PrivatePostgres } from '../../../build/tools/testkit/private-postgres.js';
import { treeCpuMs } from '../proc.js';
import { Server } from '../server.js';

/**
 * PostgreSQL's defaults, except that no checkpoint falls into a measurement: after one, whole pages would be written to the
 * WAL.
 */
const SETTINGS = {
  fsync: 'on',
  shared_buffers: '128MB',
  wal_keep_size: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '20000',
};

/** @typedef {{ postgresMs: number, statements: number, commits: number, written: number, wal: number }} Counters */

export class BesidePostgres extends Server {
  /** @param {PrivatePostgres} cluster @param {pg.Client} client */
  constructor(cluster, client) {
    super(cluster.url('postgres'), 'its own', async () => {
      await client.end();
      cluster.destroy();
    });
    this.cluster = cluster;
    this.client = client;
  }

  static async start(/** @type {string} */ folder) {
    const cluster = await PrivatePostgres.create(folder, SETTINGS);
    const client = new pg.Client({ connectionString: cluster.url('postgres') });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('CREATE EXTENSION pg_stat_statements');
    return new BesidePostgres(cluster, client);
  }

  urlOf(/** @type {string} */ name) {
    return this.cluster.url(name);
  }

  /** Runs a statement in one of the server's databases. @returns {Promise<any[]>} */
  async queryIn(/** @type {string} */ name, /** @type {string} */ sql) {
    const client = new pg.Client({ connectionString: this.urlOf(name) });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** A copy whose pages are in the WAL already, so that their first change does not write them there. */
  async copy(/** @type {string} */ template, /** @type {string} */ name) {
    await this.drop(name);
    await this.client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  }

  async drop(/** @type {string} */ name) {
    await this.client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await this.client.query('CHECKPOINT');
  }

  /** The counters of this database and of the whole server. @returns {Promise<Counters>} */
  async counters(/** @type {string} */ name) {
    const postgresMs = treeCpuMs(this.cluster.pid);
    const { rows } = await this.client.query(COUNTERS, [name]);
    const { statements, commits, written, wal } = rows[0];
    const [counted, done, changed, logged] = [statements, commits, written, wal].map(Number);
    return {
      postgresMs,
      statements: counted ?? 0,
      commits: done ?? 0,
      written: changed ?? 0,
      wal: logged ?? 0,
    };
  }
}

const COUNTERS = `
  SELECT xact_commit AS commits, tup_inserted + tup_updated + tup_deleted AS written,
    pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal,
    (SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE dbid = d.datid) AS statements
  FROM pg_stat_database d WHERE datname = $1`;
