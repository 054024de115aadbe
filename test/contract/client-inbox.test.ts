import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';

import {
  Inbox,
  type InboxOptions,
  type InboxStore,
  memoryStore,
  type PaybellEvent,
  type PaymentEvent,
  postgresStore,
} from '../../packages/client/src/index.ts';
import { createEmptyDatabase } from '../support/database.ts';
import {
  anomalyOf,
  completionOf,
  eventOfPayment,
  eventsOfPayment,
  jumped,
  updateOfCompleted,
} from '../support/paybell-events.ts';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = poolOf({ max: 10 });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

function poolOf(options: pg.PoolConfig): pg.Pool {
  const made = new pg.Pool({ connectionString: database.url, ...options });
  // `end` resolves before the last connection is closed: the test then drops the database while it is open.
  return made.on('error', () => undefined);
}

async function tables(): Promise<InboxStore<unknown>> {
  const store = postgresStore(pool, { table: `inbox_${randomUUID().slice(0, 8)}` });
  await store.createTable();
  return store;
}

const QUIET: InboxOptions = { onHeld: () => undefined };

const STORES: [name: string, open: () => Promise<InboxStore<unknown>>][] = [
  ['memory', async () => memoryStore()],
  ['PostgreSQL', tables],
];

/** The effects of a handler that keeps its events, and fails where the test says so. */
class Effects {
  readonly handled: number[] = [];
  readonly failing = new Set<number>();
  readonly handle = async ({ data }: PaymentEvent): Promise<void> => {
    if (this.failing.has(data.sequence)) throw new Error(`no ${data.sequence}`);
    this.handled.push(data.sequence);
  };
}

/**
 * The events of one payment by short names. `3`: its third event. `3c`: a completion with that number, and `3d` another one.
 * `3u`: an update of the completed payment. `3a`: an anomaly before the completion. `100<2`: an event that states that it
 * follows 2. `3c@5`: the completion `3c` again, under the number 5.
 */
class Named {
  private readonly events = new Map<string, PaymentEvent>();
  private readonly subject = randomUUID();

  event(name: string): PaymentEvent {
    const [first = name, number] = name.split('@');
    const event = this.events.get(first) ?? this.make(first);
    this.events.set(first, event);
    if (number === undefined) return event;
    return { ...event, data: { ...event.data, sequence: Number(number) } } as PaymentEvent;
  }

  private make(name: string): PaymentEvent {
    const [, number, kind = '', previous] = /^(\d+)([acdu]?)(?:<(\d+))?$/.exec(name) ?? [];
    const of =
      { a: anomalyOf, c: completionOf, d: completionOf, u: updateOfCompleted }[kind] ?? eventOfPayment;
    const event = of(this.subject, Number(number));
    return previous === undefined ? event : jumped(event, Number(previous));
  }
}

/**
 * The arriving events and the outcome, `release` meaning the release of all held events, and the numbers that were handled in
 * the end.
 */
const STORIES: [what: string, arrivals: string, handled: number[], onGap?: InboxOptions['onGap']][] = [
  [
    'handles what comes in order, and drops what comes again',
    '1 handled, 1 duplicate, 2 handled, 1 duplicate, 2 duplicate',
    [1, 2],
  ],
  [
    'holds what comes early, and releases it in order when the missing one comes',
    '4 held, 2 held, 4 held, 3 held, 1 handled, 2 duplicate, 4 duplicate',
    [1, 2, 3, 4],
  ],
  [
    'reports a gap where it is asked to, and takes what comes late',
    '1 handled, 3 gap, 3 duplicate, 2 handled, 4 handled',
    [1, 3, 2, 4],
    'report',
  ],
  ['minds no gaps where they are by design', '4 handled, 2 handled, 4 duplicate', [4, 2], 'ignore'],
  [
    'releases what was held too long, in order, and then takes the missing one late',
    '4 held, 3 held, release 2, release 0, 3 duplicate, 1 handled',
    [3, 4, 1],
  ],
  ['releases what was held too long across more than one gap', '4 held, 2 held, release 2', [2, 4]],
  [
    'handles one completion of a payment, whatever the ids and numbers of others, and nothing of before it',
    '1 handled, 2 handled, 3c handled, 2d duplicate, 3d duplicate, 4d duplicate, 5u handled, 3 outdated, 4 outdated, 3 duplicate',
    [1, 2, 3, 5],
  ],
  [
    'handles the first completion of a payment though its number is one that was handled',
    '1 handled, 2 handled, 3 handled, 4 handled, 3c handled, 3c duplicate',
    [1, 2, 3, 4, 3],
  ],
  [
    // The database went back to 2, and published other events before it published the completion again.
    'waits for no number of a completion that comes again under another one',
    '1 handled, 2 handled, 3c handled, 4 outdated, 3c@5 duplicate, 6u handled',
    [1, 2, 3, 6],
  ],
  [
    'handles a completion at a gap at once, and then waits for nothing before it',
    '1 handled, 3 held, 5c handled, 2 outdated, 4 outdated, 6u handled, 7d duplicate, 9u held, 8u handled',
    [1, 5, 6, 8, 9],
  ],
  [
    'handles a completion of a payment whose beginning it did not get at once',
    '3 held, 4c handled, 3 duplicate, 5u handled',
    [4, 5],
  ],
  ['handles completions at once that come alone', '4c handled, 4c duplicate, 6d duplicate', [4]],
  [
    'handles an anomaly that comes after the completion, since it may be why the money is not whole',
    '3a held, 5c handled, 2a handled, 4 outdated',
    [5, 3, 2],
  ],
  [
    'waits for no number between previousSequence and the event that states it',
    '1 handled, 2 handled, 100<2 handled, 101 handled',
    [1, 2, 100, 101],
  ],
  [
    'handles such an event at once when it had handled more than is in the log now',
    '1 handled, 2 handled, 3 handled, 4 handled, 100<2 handled, 101 handled',
    [1, 2, 3, 4, 100, 101],
  ],
  [
    'waits for the events up to previousSequence, which come',
    '1 handled, 101 held, 100<2 held, 2 handled',
    [1, 2, 100, 101],
  ],
  [
    'does not handle what was overtaken, held before or coming later',
    '1 handled, 2 handled, 4 held, 100<2 handled, 3 outdated, 4 duplicate',
    [1, 2, 100],
  ],
  [
    'handles a completion that was overtaken before it came, since it is true for ever',
    '1 handled, 2 handled, 100<2 handled, 4c handled, 4c@101 duplicate',
    [1, 2, 100, 4],
  ],
  [
    'takes a payment that was adopted again from its first event',
    '1 handled, 2 handled, 3 handled, 100<0 handled, 101 handled',
    [1, 2, 3, 100, 101],
  ],
  [
    'reports the gap before an event that states what it follows, and none behind it',
    '1 handled, 100<2 gap, 2 handled, 101 handled',
    [1, 100, 2, 101],
    'report',
  ],
];

describe.each(STORES)('an inbox on %s', (_name, open) => {
  async function scene(options?: InboxOptions) {
    const effects = new Effects();
    const store = await open();
    const inbox = new Inbox(store, { ...QUIET, ...options });
    const [one, two, three] = eventsOfPayment(3) as [PaymentEvent, PaymentEvent, PaymentEvent];
    const take = (event: PaybellEvent) => inbox.process(event, effects.handle);
    return { effects, store, inbox, one, two, three, take };
  }

  it.each(STORIES)('%s', async (_what, arrivals, handled, onGap = 'hold') => {
    const { effects, store, inbox, take } = await scene({ onGap });
    const named = new Named();
    for (const arrival of arrivals.split(', ')) {
      const [name = '', outcome] = arrival.split(' ');
      const came =
        name === 'release' ? await inbox.releaseHeld(effects.handle, 0) : await take(named.event(name));
      expect([name, String(came)]).toEqual([name, outcome]);
    }
    expect(effects.handled).toEqual(handled);
    expect(await store.heldFor(0)).toEqual([]);
  });

  it.each([3, 5, -1, 1.5, '2', null])(
    'does not go by a previousSequence that is none: %p',
    async (stated) => {
      const { one, three, take } = await scene();
      await take(one);
      expect(await take(jumped(three, stated as number))).toBe('held');
    },
  );

  it('lets no payment wait for another, nor takes its completion for that of another', async () => {
    const { effects, two, take } = await scene();
    expect(await take(two)).toBe('held');
    expect(await take(completionOf('another', 1))).toBe('handled');
    expect(await take(completionOf('a third', 1))).toBe('handled');
    expect(effects.handled).toEqual([1, 1]);
  });

  it('takes an event whose handler failed when it comes again', async () => {
    const { effects, one, two, take } = await scene();
    effects.failing.add(1);
    await expect(take(one)).rejects.toThrow('no 1');
    expect(await take(two)).toBe('held');
    effects.failing.clear();
    expect(await take(one)).toBe('handled');
    expect(effects.handled).toEqual([1, 2]);
  });

  it('keeps what was handled when a released event fails, and releases that one when anything comes again', async () => {
    const { effects, one, two, three, take } = await scene();
    await take(three);
    await take(two);
    effects.failing.add(2);
    await expect(take(one)).rejects.toThrow('no 2');
    expect(effects.handled).toEqual([1]);
    effects.failing.clear();
    expect(await take(one)).toBe('duplicate');
    expect(effects.handled).toEqual([1, 2, 3]);
  });

  it('handles a held event at once when it comes again and nothing is missing any more', async () => {
    const { effects, one, two, take } = await scene();
    await take(two);
    effects.failing.add(2);
    await expect(take(one)).rejects.toThrow('no 2');
    effects.failing.clear();
    expect([await take(two), await take(two)]).toEqual(['handled', 'duplicate']);
    expect(effects.handled).toEqual([1, 2]);
  });

  it('releases nothing before it was held too long, which is a quarter of an hour unless it is said', async () => {
    const { effects, inbox, two, take } = await scene();
    await take(two);
    expect(await inbox.releaseHeld(effects.handle)).toBe(0);
    expect(await inbox.releaseHeld(effects.handle, 60_000)).toBe(0);
    expect(effects.handled).toEqual([]);
  });

  it('names each event that it holds, every time that it comes', async () => {
    const held: string[] = [];
    const { one, two, take } = await scene({ onHeld: ({ id }) => void held.push(id) });
    for (const event of [two, two, one, two]) await take(event);
    expect(held).toEqual([two.id, two.id]);
  });

  it('gives every payment its turn when the held event of one cannot be handled', async () => {
    const { effects, inbox, two, take } = await scene();
    await take(two);
    await take(eventOfPayment('another', 3));
    effects.failing.add(2);
    await expect(inbox.releaseHeld(effects.handle, 0)).rejects.toThrow(AggregateError);
    expect(effects.handled).toEqual([3]);
  });

  it('lists the payments that hold something page by page, in an order that does not change', async () => {
    const { inbox, store } = await scene();
    const subjects = ['b', 'a', 'c'].map((letter) => `${letter}-${randomUUID()}`);
    for (const subject of subjects) await inbox.process(eventOfPayment(subject, 2), () => undefined);
    const inOrder = subjects.toSorted();
    expect(await store.heldFor(0)).toEqual(inOrder);
    expect(await store.heldFor(0, inOrder[0])).toEqual(inOrder.slice(1));
    expect(await store.heldFor(0, inOrder[2])).toEqual([]);
  });

  it('ignores events that are about no payment, and knows payments by events of types that it does not know', async () => {
    const { effects, one, take } = await scene();
    const { subject: _subject, ...rest } = one;
    const test = { ...rest, type: 'webhook.test', data: { endpointId: randomUUID() } } as PaybellEvent;
    expect(await take(test)).toBe('ignored');
    expect(await take({ ...one, type: 'payment.refunded' } as unknown as PaybellEvent)).toBe('handled');
    expect(effects.handled).toEqual([1]);
  });

  it('handles a completion again whose handler failed', async () => {
    const { effects, take } = await scene();
    const completion = completionOf(randomUUID(), 1);
    effects.failing.add(1);
    await expect(take(completion)).rejects.toThrow('no 1');
    effects.failing.clear();
    expect([await take(completion), await take(completionOf(completion.subject, 1))]).toEqual([
      'handled',
      'duplicate',
    ]);
  });

  it('lets one of many at once handle each event', async () => {
    const { effects, one, two, three, take } = await scene();
    const outcomes = await Promise.all([three, one, two, one, three, two, one].map(take));
    expect(effects.handled).toEqual([1, 2, 3]);
    expect(outcomes).not.toContain('gap');
  });
});

describe('an inbox that is not told whom to name held events', () => {
  it('warns of each with its type, id, payment and number', async () => {
    const warned = jest.spyOn(console, 'warn').mockReturnValue();
    const event = eventOfPayment('a payment', 2);
    await new Inbox(memoryStore()).process(event, () => undefined);
    expect(warned.mock.calls.map(String)).toEqual([
      `paybell-client holds payment.updated ${event.id}: an event of a payment before its number 2 is missing.`,
    ]);
    warned.mockRestore();
  });
});

describe('an inbox that does not know what to do at a gap', () => {
  it('is refused at once', () => {
    expect(() => new Inbox(memoryStore(), { onGap: 'Hold' as 'hold' })).toThrow(TypeError);
  });
});

describe('an inbox without a store', () => {
  it.each([undefined, null, {}, { onGap: 'hold' }])('is refused at once: %p', (store) => {
    const make = (): unknown => new Inbox(store as unknown as InboxStore<unknown>);
    expect(make).toThrow(TypeError);
    expect(make).toThrow('new Inbox(postgresStore(pool))');
  });
});

describe('an inbox on memory', () => {
  it('releases what is held on every page, though the handler fails for all of the first', async () => {
    const store = memoryStore();
    const pages: InboxStore<undefined> = {
      exclusively: (...work) => store.exclusively(...work),
      heldFor: async (...asked) => (await store.heldFor(...asked)).slice(0, 1),
    };
    const inbox = new Inbox(pages, QUIET);
    const effects = new Effects();
    for (const [subject, sequence] of [
      ['a', 2],
      ['b', 3],
      ['c', 4],
    ] as const)
      await inbox.process(eventOfPayment(subject, sequence), effects.handle);
    effects.failing.add(2);
    await expect(inbox.releaseHeld(effects.handle, 0)).rejects.toMatchObject({ errors: [new Error('no 2')] });
    expect(effects.handled).toEqual([3, 4]);
  });

  it('forgets the payment that was longest quiet, and none that is at work', async () => {
    const inbox = new Inbox(memoryStore({ maxPayments: 2 }), QUIET);
    const [a, b, c] = ['a', 'b', 'c'].map((subject) => eventOfPayment(subject, 1));
    for (const event of [a, b, a, c]) if (event) await inbox.process(event, () => undefined);
    const again = async (event?: PaymentEvent) => event && inbox.process(event, () => undefined);
    expect([await again(a), await again(c)]).toEqual(['duplicate', 'duplicate']);
    expect(await again(b)).toBe('handled');
    expect(() => memoryStore({ maxPayments: 0 })).toThrow(TypeError);
  });

  it('forgets no payment of which it holds an event: that was acknowledged, and comes no more', async () => {
    const inbox = new Inbox(memoryStore({ maxPayments: 2 }), QUIET);
    const effects = new Effects();
    const [first, second] = eventsOfPayment(2, 'held');
    if (first === undefined || second === undefined) throw new Error('no events');
    expect(await inbox.process(second, effects.handle)).toBe('held');
    for (const other of ['a', 'b', 'c', 'd']) await inbox.process(eventOfPayment(other, 1), () => undefined);
    expect(await inbox.process(first, effects.handle)).toBe('handled');
    expect(effects.handled).toEqual([1, 2]);
  });
});

const DAY_MS = 86_400_000;
const CONSUMERS = 5;
const PAYMENTS = 8;
const EVENTS = 8;

describe('an inbox on PostgreSQL', () => {
  beforeAll(() =>
    pool.query('CREATE TABLE effect (n bigint GENERATED ALWAYS AS IDENTITY, payment text, sequence int)'),
  );

  const insertEffect = async ({ subject, data }: PaymentEvent, tx: pg.PoolClient): Promise<void> => {
    await tx.query('INSERT INTO effect (payment, sequence) VALUES ($1, $2)', [subject, data.sequence]);
  };

  async function inboxIn(table: string, own = pool) {
    const store = postgresStore(own, { table });
    await store.createTable();
    return { store, inbox: new Inbox(store, QUIET) };
  }

  async function effectsOf(subject: string): Promise<number[]> {
    const { rows } = await pool.query<{ sequence: number }>(
      'SELECT sequence FROM effect WHERE payment = $1 ORDER BY n',
      [subject],
    );
    return rows.map(({ sequence }) => sequence);
  }

  it('lets five consumers that all get everything in any order handle it once, in order, whatever fails', async () => {
    const payments = Array.from({ length: PAYMENTS }, () => eventsOfPayment(EVENTS));
    const published = payments.flat();
    const failures = { left: 20 };
    const consume = async (): Promise<void> => {
      const own = poolOf({ max: 3 });
      const { inbox } = await inboxIn('race_inbox', own);
      const queue = [...published, ...published].sort(() => Math.random() - 0.5);
      const worker = async (): Promise<void> => {
        for (let event = queue.pop(); event; event = queue.pop()) {
          const again = event;
          await inbox
            .process(event, async (each, tx) => {
              await insertEffect(each, tx);
              if (Math.random() < 0.1 && failures.left-- > 0) throw new Error('on purpose');
            })
            .catch((error: Error) => {
              if (error.message !== 'on purpose') throw error;
              queue.unshift(again);
            });
        }
      };
      await Promise.all([worker(), worker(), worker()]);
      await own.end();
    };
    await Promise.all(Array.from({ length: CONSUMERS }, consume));
    expect(failures.left).toBeLessThan(20);
    const inOrder = Array.from({ length: EVENTS }, (_none, index) => index + 1);
    for (const [first] of payments) expect(await effectsOf(first?.subject ?? '')).toEqual(inOrder);
    const { rows } = await pool.query('SELECT count(*)::int AS held FROM race_inbox WHERE held IS NOT NULL');
    expect(rows).toEqual([{ held: 0 }]);
  });

  it('undoes what the handler wrote when it fails, and keeps it otherwise', async () => {
    const { inbox } = await inboxIn('public.undo_inbox');
    const event = eventOfPayment(randomUUID(), 1);
    const failing = inbox.process(event, async (each, tx) => {
      await insertEffect(each, tx);
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await effectsOf(event.subject)).toEqual([]);
    expect(await inbox.process(event, insertEffect)).toBe('handled');
    expect(await effectsOf(event.subject)).toEqual([1]);
  });

  it('does not count an event as handled whose handler hid an error of the database', async () => {
    const { inbox } = await inboxIn('hidden_inbox');
    const event = eventOfPayment(randomUUID(), 1);
    const hiding = inbox.process(event, async (each, tx) => {
      await insertEffect(each, tx);
      await tx.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(hiding).rejects.toThrow('aborted');
    expect(await inbox.process(event, insertEffect)).toBe('handled');
    expect(await effectsOf(event.subject)).toEqual([1]);
  });

  it('survives a connection that is lost in the middle, and does not use it again', async () => {
    const own = poolOf({ max: 1 });
    const { inbox } = await inboxIn('lost_inbox', own);
    const event = eventOfPayment(randomUUID(), 1);
    const losing = inbox.process(event, async (each, tx) => {
      await insertEffect(each, tx);
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const ended = new Promise((resolve) => tx.once('end', resolve));
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
    });
    await expect(losing).rejects.toThrow();
    expect(await inbox.process(event, insertEffect)).toBe('handled');
    expect(await effectsOf(event.subject)).toEqual([1]);
    await own.end();
  });

  it('goes by what others have committed even where the database isolates more by default', async () => {
    const own = poolOf({
      connectionString: database.directUrl,
      options: '-c default_transaction_isolation=serializable',
    });
    const store = postgresStore(own, { table: 'isolated_inbox' });
    await Promise.all(Array.from({ length: 5 }, () => store.createTable()));
    const inbox = new Inbox(store);
    const event = eventOfPayment(randomUUID(), 1);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => inbox.process(event, insertEffect)));
    expect(outcomes.toSorted()).toEqual([...Array<string>(7).fill('duplicate'), 'handled']);
    await own.end();
  });

  it('forgets whole payments that are long quiet and hold nothing, and no others', async () => {
    const { store, inbox } = await inboxIn('prune_inbox');
    const [quiet, alive, holding] = [randomUUID(), randomUUID(), randomUUID()];
    const published = [
      ...eventsOfPayment(2, quiet),
      ...eventsOfPayment(2, alive),
      ...eventsOfPayment(1, holding),
    ];
    for (const event of [...published, eventOfPayment(holding, 3)])
      await inbox.process(event, () => undefined);
    await pool.query(
      `UPDATE prune_inbox SET at = now() - interval '100 days' WHERE NOT (payment = $1 AND sequence = 2)`,
      [alive],
    );
    expect(await store.prune({ olderThanMs: 101 * DAY_MS })).toBe(0);
    expect(await store.prune({ olderThanMs: 99 * DAY_MS })).toBe(2);
    const left = await pool.query<{ payment: string }>('SELECT payment FROM prune_inbox_payment');
    expect(left.rows.map(({ payment }) => payment).toSorted()).toEqual([alive, holding].toSorted());
    const again = await Promise.all(published.slice(2).map((event) => inbox.process(event, () => undefined)));
    expect(again).toEqual(['duplicate', 'duplicate', 'duplicate']);
    for (const olderThanMs of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(store.prune({ olderThanMs })).rejects.toThrow(TypeError);
  });

  it('remembers completions for ever, so that none is handled again after it was pruned', async () => {
    const { store, inbox } = await inboxIn('completed_inbox');
    const completion = completionOf(randomUUID(), 1);
    await inbox.process(completion, insertEffect);
    await pool.query(`UPDATE completed_inbox SET at = now() - interval '100 days'`);
    expect(await store.prune({ olderThanMs: DAY_MS })).toBe(1);
    for (const again of [completion, completionOf(completion.subject, 2)])
      expect(await inbox.process(again, insertEffect)).toBe('duplicate');
    expect(await effectsOf(completion.subject)).toEqual([1]);
  });

  it('gets what is missing from createTable', async () => {
    const store = postgresStore(pool, { table: 'partial_inbox' });
    await store.createTable();
    await pool.query('DROP TABLE partial_inbox_completed');
    await store.createTable();
    const completion = completionOf(randomUUID(), 1);
    expect(await new Inbox(store).process(completion, insertEffect)).toBe('handled');
  });

  it('forgets no payment that something is handled of meanwhile', async () => {
    const { store, inbox } = await inboxIn('busy_inbox');
    const [first, second] = eventsOfPayment(2) as [PaymentEvent, PaymentEvent];
    await inbox.process(first, () => undefined);
    await pool.query(`UPDATE busy_inbox SET at = now() - interval '100 days'`);
    let pruned: number | undefined;
    await inbox.process(second, async () => {
      pruned = await store.prune({ olderThanMs: DAY_MS });
    });
    expect(pruned).toBe(0);
    expect(await inbox.process(first, () => undefined)).toBe('duplicate');
  });

  it('forgets more payments than are locked at once', async () => {
    const store = postgresStore(pool, { table: 'pages_inbox' });
    await store.createTable();
    await pool.query(`INSERT INTO pages_inbox_payment SELECT 'p' || n, 1 FROM generate_series(1, 1201) AS n`);
    await pool.query(
      `INSERT INTO pages_inbox SELECT 'e' || n, 'p' || n, 1, NULL, now() - interval '2 days' FROM generate_series(1, 1201) AS n`,
    );
    expect(await store.prune({ olderThanMs: DAY_MS })).toBe(1_201);
    expect((await pool.query('SELECT FROM pages_inbox_payment')).rowCount).toBe(0);
  });

  it('takes no name for its table that would be more than a name', () => {
    for (const table of ['', 'a b', 'A', 'a;b', 'a"b', 'a.b.c', '1a', 'x'.repeat(51)])
      expect(() => postgresStore(pool, { table })).toThrow(TypeError);
  });
});
