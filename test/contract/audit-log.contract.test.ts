import { beforeEach, describe, expect, it } from '@jest/globals';

import { AuditEntryEntity } from '../../src/database/entities/audit-entry.entity.ts';
import { PostgresAuditLog } from '../../src/database/audit/audit-log.store.ts';
import type { AuditedChange, AuditLog } from '../../src/ports/audit-log.ts';
import { FakeAuditLog } from '../support/fakes/audit-log.fake.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { openReplicas } from '../support/replicas.ts';

const CHANGE: AuditedChange = {
  who: 'ops',
  role: 'operator',
  address: '10.0.0.1',
  via: 'api',
  action: 'delivery.retry',
  target: '17',
  values: {},
};
const ONLY_ADDED = 'the audit log is only ever added to';

const { db, one: stores } = await openReplicas();

/** Makes the audit entries this many days older, which no request can do. */
async function age(days: number): Promise<void> {
  await db.query('ALTER TABLE audit_entry DISABLE TRIGGER audit_kept');
  await db.query(`UPDATE audit_entry SET time = time - $1 * interval '1 day'`, [days]);
  await db.query('ALTER TABLE audit_entry ENABLE TRIGGER audit_kept');
}

interface World {
  readonly log: AuditLog;
  readonly pass: () => Promise<void>;
}

async function openMemory(): Promise<World> {
  const clock = new FakeClock();
  return { log: new FakeAuditLog(clock), pass: async () => clock.advance(86_400_000) };
}

async function openPostgres(): Promise<World> {
  await db.query(`ALTER TABLE audit_entry DISABLE TRIGGER audit_kept; DELETE FROM audit_entry;
    ALTER TABLE audit_entry ENABLE TRIGGER audit_kept`);
  return {
    log: new PostgresAuditLog(stores.database, stores.source.getRepository(AuditEntryEntity)),
    pass: () => age(1),
  };
}

describe.each([
  { name: 'in memory', open: openMemory },
  { name: 'in PostgreSQL', open: openPostgres },
])('the audit log $name', ({ open }) => {
  let log: AuditLog;
  let pass: World['pass'];

  beforeEach(async () => {
    ({ log, pass } = await open());
  });

  async function targets(filter: Partial<Parameters<AuditLog['list']>[0]> = {}): Promise<unknown[]> {
    return (await log.list({ limit: 100, ...filter })).entries.map(({ target }) => target);
  }

  it('has an entry before the result is known, and the result once it is', async () => {
    const values = { url: 'https://shop.example', nested: { list: [1, 'two', null] } };
    const id = await log.begin({ ...CHANGE, values });
    const [entry] = (await log.list({ limit: 1 })).entries;
    expect(entry).toEqual({ ...CHANGE, values, id, time: expect.any(Date), status: null });
    await log.finish(id, 200);
    expect((await log.list({ limit: 1 })).entries).toEqual([{ ...entry, status: 200 }]);
  });

  it('keeps the first result, and takes a target only where there was none', async () => {
    const [named, unnamed] = [await log.begin(CHANGE), await log.begin({ ...CHANGE, target: null })];
    await log.finish(named, 201, 'other');
    await log.finish(unnamed, 201, 'made');
    await log.finish(named, 500);
    const { entries } = await log.list({ limit: 10 });
    expect(entries.map(({ target, status }) => [target, status])).toEqual([
      ['made', 201],
      ['17', 201],
    ]);
  });

  it('takes values with the result beside those that it had, and changes none of these', async () => {
    const id = await log.begin({ ...CHANGE, values: { a: 1 } });
    await log.finish(id, 200, undefined, { a: 2, b: ['x'] });
    await log.finish(id, 200, undefined, { c: 3 });
    expect((await log.list({ limit: 1 })).entries[0]?.values).toEqual({ a: 1, b: ['x'] });
  });

  it('keeps no values of a refused change, and those of one that failed', async () => {
    const values = { a: 1, b: 'x'.repeat(1_000) };
    const ids = [
      await log.begin({ ...CHANGE, values }),
      await log.begin({ ...CHANGE, values }),
      await log.begin({ ...CHANGE, values }),
    ];
    await log.refuse(ids[0] ?? '', 400);
    await log.refuse(ids[1] ?? '', 503);
    await log.finish(ids[2] ?? '', 503);
    await log.refuse(ids[2] ?? '', 503);
    const { entries } = await log.list({ limit: 3 });
    expect(entries.map((entry) => [entry.status, entry.values])).toEqual([
      [503, values],
      [503, {}],
      [400, {}],
    ]);
  });

  it('takes an entry back as long as it has no result', async () => {
    const ids = await Promise.all(
      Array.from({ length: 4 }, (_none, at) => log.begin({ ...CHANGE, target: `t${at}` })),
    );
    await log.finish(ids[1] ?? '', 200);
    await Promise.all(ids.slice(0, 3).map((id) => log.withdraw(id)));
    expect(new Set(await targets({}))).toEqual(new Set(['t1', 't3']));
    expect(Number(await log.begin(CHANGE))).toBeGreaterThan(Number(ids[3]));
  });

  it('gives each of many changes at once its own entry and its own result', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `target ${at}`);
    const ids = await Promise.all(
      names.map((target) => log.begin({ ...CHANGE, target, values: { target } })),
    );
    await Promise.all(ids.flatMap((id, at) => [log.finish(id, 200 + at), log.finish(id, 500)]));
    const { entries } = await log.list({ limit: 100 });
    const kept = new Map(entries.map(({ id, target, values, status }) => [id, { target, values, status }]));
    expect(ids.map((id) => kept.get(id))).toEqual(
      names.map((target, at) => ({ target, values: { target }, status: 200 + at })),
    );
  });

  it('keeps a change by the command line, which has neither role nor address', async () => {
    const change = { ...CHANGE, who: 'root', role: null, address: null, via: 'cli', target: null } as const;
    const id = await log.begin(change);
    expect((await log.list({ limit: 1 })).entries[0]).toMatchObject({ ...change, id });
  });

  it('lists newest first, by pages, each entry once while others come in', async () => {
    for (let at = 0; at < 5; at += 1) await log.begin({ ...CHANGE, target: String(at) });
    const first = await log.list({ limit: 2 });
    await log.begin({ ...CHANGE, target: 'new' });
    const second = await log.list({ limit: 2, cursor: first.nextCursor ?? '' });
    const third = await log.list({ limit: 2, cursor: second.nextCursor ?? '' });
    const pages = [first, second, third].map(({ entries }) => entries.map(({ target }) => target));
    expect(pages).toEqual([['4', '3'], ['2', '1'], ['0']]);
    expect(third.nextCursor).toBeNull();
    expect((await log.list({ limit: 6 })).nextCursor).toBeNull();
  });

  it('is filtered by a UUID in any letter case: the target is as it was asked for', async () => {
    const id = 'abcdef00-0000-4000-8000-0000000000ab';
    for (const target of [id, id.toUpperCase(), 'Order', 'order'])
      await log.begin({ ...CHANGE, target, action: 'payment.resolve' });
    for (const target of [id, id.toUpperCase()])
      expect(await targets({ target, action: 'payment.resolve' })).toEqual([id.toUpperCase(), id]);
    expect(await targets({ target: 'order', action: 'payment.resolve' })).toEqual(['order']);
  });

  it('is filtered by who, action and target, and by any of them together', async () => {
    await log.begin({ ...CHANGE, target: 'a' });
    await log.begin({ ...CHANGE, target: 'b', who: 'boss' });
    await log.begin({ ...CHANGE, target: 'c', action: 'key.create' });
    await log.begin({ ...CHANGE, target: 'c', action: 'key.create', who: 'boss' });
    expect(await targets({ who: 'boss' })).toEqual(['c', 'b']);
    expect(await targets({ action: 'delivery.retry' })).toEqual(['b', 'a']);
    expect(await targets({ target: 'c' })).toEqual(['c', 'c']);
    expect(await targets({ who: 'boss', action: 'key.create', target: 'c' })).toEqual(['c']);
    expect(await targets({ who: 'BOSS' })).toEqual([]);
    const page = await log.list({ who: 'boss', limit: 1 });
    expect(await targets({ who: 'boss', cursor: page.nextCursor ?? '' })).toEqual(['b']);
  });

  it('is cut by time: adjacent windows share no entry and lose none', async () => {
    for (const target of ['old', 'middle', 'young']) {
      await pass();
      await log.begin({ ...CHANGE, target });
    }
    const { entries } = await log.list({ limit: 3 });
    const middle = entries[1]?.time ?? new Date(0);
    expect(await targets({ after: middle })).toEqual(['young', 'middle']);
    expect(await targets({ before: middle })).toEqual(['old']);
    expect(await targets({ after: middle, before: entries[0]?.time ?? new Date(0) })).toEqual(['middle']);
  });

  it('knows a cursor that it has not made', async () => {
    for (const cursor of ['x', 'ZDE3', 'YS4x'])
      await expect(log.list({ limit: 1, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('the audit log of the database', () => {
  let log: AuditLog;
  beforeEach(async () => {
    ({ log } = await openPostgres());
  });

  async function count(): Promise<number> {
    return (await db.query('SELECT 1 FROM audit_entry')).length;
  }

  it.each([
    `DELETE FROM audit_entry`,
    `TRUNCATE audit_entry`,
    `UPDATE audit_entry SET who = 'nobody'`,
    `UPDATE audit_entry SET status = 500`,
    `UPDATE audit_entry SET status = NULL`,
    `UPDATE audit_entry SET status = 200, "values" = '{}' WHERE status IS NULL`,
    `UPDATE audit_entry SET status = 200, "values" = '{"a": 2, "b": 3}' WHERE status IS NULL`,
    `UPDATE audit_entry SET "values" = '{"a": 1, "b": 3}' WHERE status IS NULL`,
    `UPDATE audit_entry SET status = 404, "values" = '{"a": 2}' WHERE status IS NULL`,
    `UPDATE audit_entry SET status = 399, "values" = '{}' WHERE status IS NULL`,
    `UPDATE audit_entry SET status = 200, target = 'other' WHERE status IS NULL`,
    `DELETE FROM audit_entry WHERE status IS NULL`,
    `UPDATE audit_entry SET status = 200, time = now() - interval '1 day' WHERE status IS NULL`,
  ])('refuses what would change or remove an entry: %s', async (statement) => {
    await log.finish(await log.begin(CHANGE), 201);
    await log.begin({ ...CHANGE, values: { a: 1 } });
    const before = await db.query('SELECT * FROM audit_entry ORDER BY position');
    await expect(db.query(statement)).rejects.toThrow(ONLY_ADDED);
    expect(await db.query('SELECT * FROM audit_entry ORDER BY position')).toEqual(before);
  });

  it('writes down each change of a group but one that it cannot store, which must not be made', async () => {
    const values = [{ at: 1 }, { at: 'nul \u0000' }, { at: 3 }];
    const ended = await Promise.allSettled(values.map((each) => log.begin({ ...CHANGE, values: each })));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const entries = await db.query<{ id: string }>(`SELECT position::text AS id, "values" FROM audit_entry`);
    expect(entries.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(
      ended.flatMap((each, at) =>
        each.status === 'fulfilled' ? [{ id: each.value, values: values[at] }] : [],
      ),
    );
  });

  it('lets nobody take an entry back that has a result, nor another one after that', async () => {
    await log.finish(await log.begin(CHANGE), 200);
    await log.begin(CHANGE);
    const statements = [
      `SELECT set_config('paybell.audit', 'refused', true); DELETE FROM audit_entry`,
      `SELECT withdraw_audit(ARRAY[0]::bigint[]); DELETE FROM audit_entry WHERE status IS NULL`,
    ];
    for (const statement of statements) await expect(db.query(statement)).rejects.toThrow(ONLY_ADDED);
    expect(await count()).toBe(2);
  });

  it('lets retention remove the oldest entries of before an instant, so many at a time, and nobody else after it', async () => {
    for (let at = 0; at < 5; at += 1) await log.begin(CHANGE);
    await age(400);
    await log.begin(CHANGE);
    const before = new Date(Date.now() - 365 * 86_400_000);
    expect(await stores.retention.removeAudit(before, 3)).toEqual({ count: 3, isMore: true });
    expect(await stores.retention.removeAudit(before, 3)).toEqual({ count: 2, isMore: false });
    expect(await count()).toBe(1);
    const again = stores.database.transaction(async (queries) => {
      await queries.query(`SELECT remove_audit(now() - interval '1 year', 10)`);
      await queries.query('DELETE FROM audit_entry');
    });
    await expect(again).rejects.toThrow(ONLY_ADDED);
    expect(await count()).toBe(1);
  });
});
