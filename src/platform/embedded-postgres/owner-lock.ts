import pg from 'pg';

const LOCK = 1_885_692_258;
const TAKE_TIMEOUT_MS = 5_000;
const RETRY_MS = 200;
const CONNECT_TIMEOUT_MS = 3_000;

/** Opens a connection whose loss does not become an uncaught error. */
export async function connectAs(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Whether a living Paybell holds the database behind `client`. */
export async function isOwned(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database AND datname = current_database()
     WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND granted`,
    [LOCK],
  );
  return rowCount !== 0;
}

/** Takes the owner lock on this connection, if it is free. */
export async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK]);
  return rows[0]?.taken === true;
}

/** Ownership of the embedded database: an advisory session lock, which PostgreSQL releases when the owner's process dies. */
export class OwnerLock {
  private client: pg.Client | null = null;
  private released = false;

  constructor(private readonly url: string) {}

  /** False if another process holds the lock. */
  async takeLock(): Promise<boolean> {
    const giveUpAt = performance.now() + TAKE_TIMEOUT_MS;
    while (!this.released) {
      if (await this.tryOnce()) return true;
      if (performance.now() >= giveUpAt) return false;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return false;
  }

  async release(): Promise<void> {
    this.released = true;
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private async tryOnce(): Promise<boolean> {
    const client = await connectAs(this.url);
    const taken = await tryLock(client).catch(() => false);
    if (!taken || this.released) {
      await client.end().catch(() => undefined);
      return false;
    }
    this.client = client;
    client.once('end', () => this.onLost(client));
    return true;
  }

  /** A crash recovery of the server ends the session: takes the lock again as soon as the server accepts connections. */
  private onLost(client: pg.Client): void {
    if (this.client !== client || this.released) return;
    this.client = null;
    const again = (): void => {
      if (this.released || this.client !== null) return;
      void this.tryOnce().then(
        (taken) => taken || setTimeout(again, RETRY_MS).unref(),
        () => setTimeout(again, RETRY_MS).unref(),
      );
    };
    again();
  }
}
