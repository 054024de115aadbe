import type { EventEmitter } from 'node:events';

import pg from 'pg';

import { codeOf, isWithoutConnection, READ_ONLY } from './connection-errors.ts';
import { setOnce } from './server-limits.ts';
import type { Limits } from './session-settings.ts';
import { SilenceWatch } from './silence-watch.ts';
import { ofWay, type Way, WaysToConnect } from './ways-to-connect.ts';

/** For a connection that only reads the state of the pool's other sessions. */
const BESIDE = { query_timeout: 5_000 };
/** SQLSTATE: the connection limit of the server, the database or the role is reached. */
const TOO_MANY_CONNECTIONS = '53300';
/** How long after a refusal the pool opens no further connections. */
const GROW_AGAIN_MS = 10_000;

/** The parts of a pool. */
export interface AddressPoolConfig extends pg.PoolConfig {
  /** Whole URLs, which are tried in turn. */
  readonly addresses: readonly string[];
  readonly limits: Limits;
  /** Emits `refused` with the error when the server refuses a new connection and an open one serves the caller. */
  readonly refusals: EventEmitter;
  /** Statements are sent before the answers to earlier ones have come. */
  readonly pipeline?: boolean;
}

type Connected = Parameters<pg.Pool['connect']>[0];
type Release = Parameters<Connected>[2];

/**
 * A pool that connects to the first of several servers that answers and takes writes, and to the next one when that server
 * fails; the driver itself knows one host only. Where the server allows fewer connections than the pool may have, callers wait
 * for all open connections except one, which the silence watch needs.
 */
export class AddressPool extends pg.Pool {
  private readonly ways: WaysToConnect;
  private readonly prepare: (client: pg.ClientBase) => Promise<void>;
  private readonly watch = new SilenceWatch(() => this.connectBeside());
  private readonly refusals: EventEmitter;
  private readonly most: number;
  /** How many connections the server is believed to allow. Reads may take a share of this number. */
  allowed: number;
  private growing: NodeJS.Timeout | undefined;
  private holds = 0;

  constructor({ addresses, limits, refusals, ...config }: AddressPoolConfig) {
    super(config);
    this.refusals = refusals;
    this.most = this.options.max;
    this.allowed = this.most;
    this.prepare = async (client) => {
      if (addresses.length > 1) await refuseStandby(client);
      await setOnce(client, limits);
    };
    this.options.onConnect = (client) => {
      this.watch.add(client);
      this.noteOpened();
      // The pool awaits the promise, though its types do not say so.
      return this.prepare(client) as unknown as undefined;
    };
    this.ways = new WaysToConnect(addresses);
    Object.assign(this.options, this.ways.current);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    if (callback !== undefined) return this.connectTo(this.ways.count, callback);
    return new Promise((resolve, reject) => {
      this.connectTo(this.ways.count, (error, client) =>
        client === undefined ? reject(error ?? new Error('no client')) : resolve(client),
      );
    });
  }

  private get opened(): number {
    return Math.min(this.watch.size, this.totalCount);
  }

  /** Of several connections that the pool opens at once, some may open after the server has refused one. */
  private noteOpened(): void {
    const isHeld = this.growing !== undefined;
    if (isHeld) this.options.max = Math.max(this.options.max, shareOf(this.opened));
    this.allowed = Math.max(this.allowed, isHeld ? this.options.max : this.opened);
  }

  private connectTo(left: number, callback: Connected): void {
    const tried = this.ways.current;
    const { holds } = this;
    super.connect((error, client, release) => {
      // The wait for a free connection of the pool says nothing about the server.
      if (!error || isWithoutConnection(error)) return callback(error, client, this.withinMax(release));
      const others = this.opened;
      if (codeOf(error) === TOO_MANY_CONNECTIONS && others > 0) {
        // If the server refuses several connections at once, the first refusal counts.
        if (holds === this.holds) this.holdAt(others, error);
        return this.connectTo(left, callback);
      }
      this.leave(tried, error);
      if (left > 1) this.connectTo(left - 1, callback);
      else callback(ofWay(tried, error), client, release);
    });
  }

  /**
   * After a refusal, all open connections but one serve the callers, and the pool asks for more after a while. Until then it
   * reserves no second connection: another program has taken the place of the first.
   */
  private holdAt(others: number, error: Error): void {
    this.refusals.emit('refused', error);
    this.holds += 1;
    const isGivenUp = this.growing !== undefined && others <= this.options.max;
    this.options.max = Math.max(1, isGivenUp ? others : shareOf(others));
    this.allowed = this.options.max;
    if (this.idleCount > 0) super.connect((_error, client) => client?.release(this.isOverMax));
    this.growing ??= setTimeout(() => {
      this.growing = undefined;
      this.options.max = this.most;
    }, GROW_AGAIN_MS).unref();
  }

  /** While connections are being opened, the number that the server allows is not known. */
  private get isOverMax(): boolean {
    return this.opened > this.options.max && this.opened === this.totalCount;
  }

  /** Closes the connection where the pool has too many. */
  private withinMax(release: Release): Release {
    return (failure) => release(failure ?? this.isOverMax);
  }

  /** Opens a connection outside the pool, to the first address that answers and takes writes. */
  private async connectBeside(): Promise<pg.Client> {
    let failure: unknown;
    for (const way of this.ways.inTurn) {
      const client = new pg.Client({ ...this.options, ...way, ...BESIDE });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await this.prepare(client);
        return client;
      } catch (error) {
        failure = error;
        if (codeOf(error) === TOO_MANY_CONNECTIONS) this.holdAt(this.opened, error as Error);
        void client.end().catch(() => undefined);
      }
    }
    throw failure;
  }

  private leave(tried: Way, error: Error): void {
    this.ways.leave(tried, error);
    Object.assign(this.options, this.ways.current);
  }
}

/**
 * The callers' share of the connections that the server allows: all but the one of the silence watch, or all if there are
 * fewer than three.
 */
function shareOf(allowed: number): number {
  return allowed > 2 ? allowed - 1 : allowed;
}

/** A standby answers every read and refuses our writes. */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>(IS_STANDBY);
  if (rows[0]?.is_standby !== false)
    throw Object.assign(new Error('The server takes no writes.'), { code: READ_ONLY });
}

/** Asks for recovery, not for the read-only setting: a role may have that setting on a server that takes writes. */
const IS_STANDBY = `SELECT pg_catalog.pg_is_in_recovery() AS is_standby`;

/** The driver that TypeORM uses. */
export const DRIVER = { Pool: AddressPool, defaults: pg.defaults };
