/** Payments whose held events are released before the next are asked for. */
const HELD_PAGE = 1_000;
/** Payments whose rows are locked and removed in one transaction. */
const PRUNE_PAGE = 500;

/** The statements of an inbox's tables: events, payments, whose rows are locked, and payments that were completed. */
export interface InboxTables {
  readonly create: readonly string[];
  readonly lock: string;
  readonly find: string;
  readonly isCompleted: string;
  readonly complete: string;
  readonly isPassedOver: string;
  readonly firstHeld: string;
  readonly firstHeldJump: string;
  readonly hold: string;
  readonly settle: string;
  readonly advance: string;
  readonly skip: string;
  readonly heldFor: string;
  readonly quiet: string;
  readonly pruneEvents: string;
  readonly prunePayments: string;
}

/**
 * The name of a table, with or without a schema, which is written into statements. It is short, since the names of indexes
 * begin with it.
 */
const TABLE = /^(?:([a-z_][a-z0-9_]{0,49})\.)?([a-z_][a-z0-9_]{0,49})$/;

/** Throws TypeError for a name that is not made of small letters, digits and underscores. */
export function inboxTables(table: string): InboxTables {
  const [, schema, name = ''] = TABLE.exec(table) ?? [];
  if (name === '')
    throw new TypeError('table is a name of small letters, digits and underscores, as a.b or b.');
  const inSchema = schema === undefined ? '' : `"${schema}".`;
  const [events, payments] = [`${inSchema}"${name}"`, `${inSchema}"${name}_payment"`];
  const completed = `${inSchema}"${name}_completed"`;
  return {
    create: [
      // `IF NOT EXISTS` alone fails when two processes create a table at once.
      `SELECT pg_advisory_xact_lock(hashtextextended('paybell-client ${table}', 0))`,
      `CREATE TABLE IF NOT EXISTS ${payments} (payment text PRIMARY KEY, through integer NOT NULL)`,
      `CREATE TABLE IF NOT EXISTS ${events} (
         id text PRIMARY KEY, payment text NOT NULL, sequence integer NOT NULL, held text,
         at timestamptz NOT NULL DEFAULT now(), previous integer)`,
      `CREATE TABLE IF NOT EXISTS ${completed} (payment text PRIMARY KEY)`,
      `CREATE INDEX IF NOT EXISTS "${name}_sequence" ON ${events} (payment, sequence)`,
      `CREATE INDEX IF NOT EXISTS "${name}_held" ON ${events} (at) WHERE held IS NOT NULL`,
    ],
    // The update changes nothing: it locks the row, whichever process inserted the row.
    lock: `INSERT INTO ${payments} AS p (payment, through) VALUES ($1, 0)
      ON CONFLICT (payment) DO UPDATE SET through = p.through RETURNING through`,
    find: `SELECT held IS NOT NULL AS is_held FROM ${events} WHERE id = $1`,
    isCompleted: `SELECT FROM ${completed} WHERE payment = $1`,
    complete: `INSERT INTO ${completed} (payment) VALUES ($1) ON CONFLICT DO NOTHING`,
    ...numbering(events, payments),
    skip: `UPDATE ${payments} SET through = greatest(through, $2) WHERE payment = $1 RETURNING through`,
    heldFor: `SELECT DISTINCT payment FROM ${events}
      WHERE held IS NOT NULL AND at <= now() - make_interval(secs => $1) AND payment > $2
      ORDER BY payment LIMIT ${HELD_PAGE}`,
    ...pruning(events, payments),
  };
}

/** In a statement without an event's id, $1 is the payment. */
function numbering(
  events: string,
  payments: string,
): Pick<InboxTables, 'isPassedOver' | 'firstHeld' | 'firstHeldJump' | 'hold' | 'settle' | 'advance'> {
  return {
    isPassedOver: `SELECT FROM ${events}
      WHERE payment = $1 AND held IS NULL AND sequence > $2 AND previous < $2 LIMIT 1`,
    firstHeld: `SELECT held FROM ${events} WHERE payment = $1 AND held IS NOT NULL ORDER BY sequence LIMIT 1`,
    firstHeldJump: `SELECT held FROM ${events} WHERE payment = $1 AND held IS NOT NULL AND previous IS NOT NULL
      ORDER BY previous, sequence LIMIT 1`,
    hold: `INSERT INTO ${events} (id, payment, sequence, previous, held) VALUES ($1, $2, $3, $4, $5)`,
    settle: `INSERT INTO ${events} (id, payment, sequence, previous) VALUES ($1, $2, $3, $4)
      ON CONFLICT (id) DO UPDATE SET held = NULL, at = now() RETURNING sequence`,
    advance: `WITH RECURSIVE reached (through) AS (
        SELECT through FROM ${payments} WHERE payment = $1
        UNION
        SELECT e.sequence FROM reached AS r JOIN ${events} AS e ON e.sequence > r.through
          AND (e.sequence = r.through + 1 OR e.previous <= r.through)
        WHERE e.payment = $1 AND e.held IS NULL)
      UPDATE ${payments} SET through = (SELECT max(through) FROM reached) WHERE payment = $1 RETURNING through`,
  };
}

function pruning(
  events: string,
  payments: string,
): Pick<InboxTables, 'quiet' | 'pruneEvents' | 'prunePayments'> {
  // $1: for how many seconds an event keeps its payment from being pruned.
  const isAlive = `(e.held IS NOT NULL OR e.at > now() - make_interval(secs => $1))`;
  return {
    quiet: `SELECT payment FROM ${payments} AS p
      WHERE payment > $2 AND NOT EXISTS (SELECT FROM ${events} AS e WHERE e.payment = p.payment AND ${isAlive})
      ORDER BY payment LIMIT ${PRUNE_PAGE} FOR UPDATE OF p SKIP LOCKED`,
    // Runs after the lock is held, so that it sees the events that were handled during the wait.
    pruneEvents: `DELETE FROM ${events} AS x
      WHERE payment = ANY ($2) AND NOT EXISTS (SELECT FROM ${events} AS e WHERE e.payment = x.payment AND ${isAlive})
      RETURNING id`,
    prunePayments: `DELETE FROM ${payments} AS p
      WHERE payment = ANY ($1) AND NOT EXISTS (SELECT FROM ${events} AS e WHERE e.payment = p.payment)`,
  };
}
