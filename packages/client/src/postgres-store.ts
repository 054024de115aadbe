import { parseEvent } from './parse-event.ts';
import { statedPredecessor, type PaymentEvent } from './events.ts';
import type { InboxStore, Ledger } from './inbox-store.ts';
import { type InboxTables, inboxTables } from './inbox-tables.ts';

/** A connection to PostgreSQL, such as a `PoolClient` of `pg`. */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A connection that is given back after its transaction; `true` says that it is of no more use. */
export interface PooledClient extends SqlClient {
  release(isBroken?: boolean): void;
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

/** A pool of connections to PostgreSQL, such as a `Pool` of `pg`. */
export interface SqlPool {
  connect(): Promise<PooledClient>;
}

/** The clients of a pool; of the two forms of `connect` that `pg` has, the one that answers a promise says it. */
export type ClientOf<Pool> = Pool extends {
  connect: { (): Promise<infer Client extends PooledClient>; (...more: never[]): unknown };
}
  ? Client
  : PooledClient;

/** An inbox's store in PostgreSQL: any number of processes may share it, and a handler writes in its transaction. */
export function postgresStore<Pool extends SqlPool>(
  pool: Pool,
  { table = 'paybell_inbox' } = {},
): PostgresStore<ClientOf<Pool>> {
  const connect = () => pool.connect() as Promise<ClientOf<Pool>>;
  return new PostgresStore(connect, inboxTables(table));
}

export class PostgresStore<Client extends PooledClient> implements InboxStore<Client> {
  constructor(
    private readonly connect: () => Promise<Client>,
    private readonly tables: InboxTables,
  ) {}

  /** Makes the tables where they are missing; any number of processes may do so at once. */
  createTable(): Promise<void> {
    return this.inTransaction(async (client) => {
      for (const statement of this.tables.create) await client.query(statement);
    });
  }

  exclusively<Result>(
    payment: string,
    work: (ledger: Ledger, tx: Client) => Promise<Result>,
  ): Promise<Result> {
    return this.inTransaction(async (client) => {
      const [row] = (await client.query(this.tables.lock, [payment])).rows as { through: number }[];
      return work(new PostgresLedger(client, this.tables, payment, row?.through ?? 0), client);
    });
  }

  heldFor(patienceMs: number, after = ''): Promise<readonly string[]> {
    return this.inTransaction((client) =>
      paymentsOf(client, this.tables.heldFor, [patienceMs / 1_000, after]),
    );
  }

  /**
   * Forgets the payments that nothing was handled of for so long, and that hold nothing; answers how many events that
   * were. What comes again of them later counts as new, but for their completion, which is kept for ever. Throws TypeError where `olderThanMs` is no time.
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
      // Named, since what is waited for must be seen afterwards, whatever the pool's default is.
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
    // It is kept under another number already: a row of its own keeps this one.
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
