import { parseEvent } from './parse-event.ts';
import { statedPredecessor, type PaymentEvent } from './events.ts';
import type { InboxStore, Ledger } from './inbox-store.ts';
import { type InboxTables, inboxTables } from './inbox-tables.ts';

/** Runs statements on a connection to PostgreSQL, such as a `PoolClient` of `pg`. */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A connection that is given back to its pool after a transaction; `true` tells the pool to close it. */
export interface PooledClient extends SqlClient {
  release(isBroken?: boolean): void;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

/** Hands out connections to PostgreSQL, such as a `Pool` of `pg` does. */
export interface SqlPool {
  connect(): Promise<PooledClient>;
}

/**
 * The type of a pool's connections, which a handler gets as `tx`, taken from the overload of `connect` that returns a promise.
 */
export type ClientOf<Pool> = Pool extends {
  connect: { (): Promise<infer Client extends PooledClient>; (...more: never[]): unknown };
}
  ? Client
  : PooledClient;

/** Names the tables of a store. */
export interface InboxTableOptions {
  /** The table of events, by default `paybell_inbox`; two more have names that begin with it. */
  readonly table?: string;
}

/** Makes an inbox's store in PostgreSQL. Any number of processes may share it, and a handler writes in its transaction. */
export function postgresStore<Pool extends SqlPool>(
  pool: Pool,
  { table = 'paybell_inbox' }: InboxTableOptions = {},
): PostgresStore<ClientOf<Pool>> {
  const connect = () => pool.connect() as Promise<ClientOf<Pool>>;
  return new PostgresStore(connect, inboxTables(table));
}

/** An inbox's store in PostgreSQL, which `postgresStore` makes. */
export class PostgresStore<Client extends PooledClient> implements InboxStore<Client> {
  constructor(
    private readonly connect: () => Promise<Client>,
    private readonly tables: InboxTables,
  ) {}

  /** Creates the tables that are missing; any number of processes may do so at once. */
  createTable(): Promise<void> {
    return this.inTransaction(async (client) => {
      for (const statement of this.tables.create) await client.query(statement);
    });
  }

  /** Works on one payment in a transaction whose lock keeps all others out. */
  exclusively<Result>(
    payment: string,
    work: (ledger: Ledger, tx: Client) => Promise<Result>,
  ): Promise<Result> {
    return this.inTransaction(async (client) => {
      const [row] = (await client.query(this.tables.lock, [payment])).rows as { through: number }[];
      return work(new PostgresLedger(client, this.tables, payment, row?.through ?? 0), client);
    });
  }

  /** Lists the payments whose events have been held for longer than `patienceMs`, a page at a time. */
  heldFor(patienceMs: number, after?: string): Promise<readonly string[]> {
    return this.inTransaction((client) =>
      paymentsOf(client, this.tables.heldFor, [patienceMs / 1_000, after ?? '']),
    );
  }

  /**
   * Forgets the payments that have neither a held event nor an event handled within `olderThanMs`, and returns the number of
   * their events. An event that comes later counts as new, but a completion is kept for ever.
   */
  async prune({ olderThanMs }: { readonly olderThanMs: number }): Promise<number> {
    if (!Number.isFinite(olderThanMs) || olderThanMs < 0)
      throw new TypeError('olderThanMs is a number of milliseconds from 0.');
    let pruned = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const part = await this.prunePage(olderThanMs / 1_000, after);
      pruned += part.events;
      after = part.last;
    }
    return pruned;
  }

  private prunePage(seconds: number, after: string): Promise<{ events: number; last: string | undefined }> {
    return this.inTransaction(async (client) => {
      const payments = await paymentsOf(client, this.tables.quiet, [seconds, after]);
      const { rows } = await client.query(this.tables.pruneEvents, [seconds, payments]);
      await client.query(this.tables.prunePayments, [payments]);
      return { events: rows.length, last: payments.at(-1) };
    });
  }

  private async inTransaction<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.connect();
    let isBroken = false;
    const noteBroken = (): void => void (isBroken = true);
    // A connection that is lost between two statements must not end the process.
    client.on?.('error', noteBroken);
    try {
      // Names the isolation level: after the wait for a lock, statements must see what others committed, whatever the pool's
      // default is.
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(noteBroken);
      throw error;
    } finally {
      client.off?.('error', noteBroken);
      client.release(isBroken);
    }
  }
}

async function paymentsOf(client: SqlClient, statement: string, values: unknown[]): Promise<string[]> {
  const { rows } = await client.query(statement, values);
  return (rows as { payment: string }[]).map(({ payment }) => payment);
}

class PostgresLedger implements Ledger {
  constructor(
    private readonly client: SqlClient,
    private readonly tables: InboxTables,
    private readonly payment: string,
    private handledThrough: number,
  ) {}

  get through(): number {
    return this.handledThrough;
  }

  async find(id: string): Promise<'handled' | 'held' | null> {
    const [row] = (await this.client.query(this.tables.find, [id])).rows as { is_held: boolean }[];
    if (row === undefined) return null;
    return row.is_held ? 'held' : 'handled';
  }

  async isCompleted(): Promise<boolean> {
    return (await this.client.query(this.tables.isCompleted, [this.payment])).rows.length > 0;
  }

  async isPassedOver(sequence: number): Promise<boolean> {
    const { rows } = await this.client.query(this.tables.isPassedOver, [this.payment, sequence]);
    return rows.length > 0;
  }

  firstHeld(): Promise<PaymentEvent | null> {
    return this.heldOf(this.tables.firstHeld);
  }

  firstHeldJump(): Promise<PaymentEvent | null> {
    return this.heldOf(this.tables.firstHeldJump);
  }

  async hold(event: PaymentEvent): Promise<void> {
    await this.client.query(this.tables.hold, [...this.rowOf(event), JSON.stringify(event)]);
  }

  async settle(event: PaymentEvent): Promise<void> {
    const { rows } = await this.client.query(this.tables.settle, this.rowOf(event));
    const [kept] = rows as { sequence: number }[];
    // The event is stored under another number already: a second row stores this number.
    if (kept?.sequence !== event.data.sequence)
      await this.client.query(this.tables.settle, this.rowOf(event, `${event.id} ${event.data.sequence}`));
    if (event.type === 'payment.completed') await this.client.query(this.tables.complete, [this.payment]);
    const isNext = event.data.sequence === this.through + 1;
    if (isNext || statedPredecessor(event) !== null) await this.move(this.tables.advance, [this.payment]);
  }

  skipTo(sequence: number): Promise<void> {
    return this.move(this.tables.skip, [this.payment, sequence - 1]);
  }

  private rowOf(event: PaymentEvent, id = event.id): unknown[] {
    return [id, this.payment, event.data.sequence, statedPredecessor(event)];
  }

  private async heldOf(statement: string): Promise<PaymentEvent | null> {
    const { rows } = await this.client.query(statement, [this.payment]);
    const [row] = rows as { held: string }[];
    return row === undefined ? null : (parseEvent(row.held) as PaymentEvent);
  }

  private async move(statement: string, values: unknown[]): Promise<void> {
    const [row] = (await this.client.query(statement, values)).rows as { through: number }[];
    this.handledThrough = row?.through ?? this.handledThrough;
  }
}
