import pg from 'pg';

import { READ_ONLY } from './connection-errors.ts';
import { boundOnce } from './server-limits.ts';

interface AddressPoolConfig extends pg.PoolConfig {
  /** Whole URLs, which are tried in turn. */
  readonly addresses: readonly string[];
  /** Whether the time-outs of server-limits.ts are for its connections. */
  readonly isBounded: boolean;
}

type Connected = Parameters<pg.Pool['connect']>[0];

/**
 * A pool that connects to the first of several servers that answers and takes writes, and goes on to the next one when that
 * fails. The driver itself knows one host only.
 */
class AddressPool extends pg.Pool {
  private readonly addresses: readonly string[];
  private at = 0;

  constructor({ addresses, isBounded, ...config }: AddressPoolConfig) {
    const onConnect = async (client: pg.ClientBase): Promise<void> => {
      if (addresses.length > 1) await refuseReadOnly(client);
      if (isBounded) await boundOnce(client);
    };
    // The pool awaits the promise, though its types do not say so.
    super({ ...config, onConnect: (client) => onConnect(client) as unknown as undefined });
    this.addresses = addresses;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    if (callback !== undefined) return this.connectTo(this.addresses.length, callback);
    return new Promise((resolve, reject) => {
      this.connectTo(this.addresses.length, (error, client) =>
        client === undefined ? reject(error ?? new Error('no client')) : resolve(client),
      );
    });
  }

  private connectTo(left: number, callback: Connected): void {
    const tried = this.at;
    super.connect((error, client, release) => {
      // A pool without a free connection says nothing about its server.
      const isBusy = error?.message.startsWith('timeout exceeded when trying to connect') === true;
      if (!error || isBusy) return callback(error, client, release);
      this.leave(tried);
      if (left > 1) this.connectTo(left - 1, callback);
      else callback(error, client, release);
    });
  }

  /** Another caller may have gone on to the next address already. */
  private leave(tried: number): void {
    if (this.at !== tried) return;
    this.at = (tried + 1) % this.addresses.length;
    this.options.connectionString = this.addresses[this.at];
  }
}

/** A standby answers every read, and none of our writes. */
async function refuseReadOnly(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(IS_READ_ONLY);
  if (rows[0]?.is_read_only !== false)
    throw Object.assign(new Error('The server takes no writes.'), { code: READ_ONLY });
}

const IS_READ_ONLY = `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`;

/** The driver that TypeORM uses. */
export const DRIVER = { Pool: AddressPool, defaults: pg.defaults };
