import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { changesOf } from '../../src/domain/attention/attention-changes.ts';
import { PostgresOperationalEvents } from '../../src/database/endpoints/operational-events.store.ts';
import type { OperationalEvents, Telling } from '../../src/ports/operational-events.ts';
import type { TestDatabase } from '../support/database.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const LEASE_MS = 10_000;
const PATIENCE_MS = 900_000;

let db: TestDatabase;
let one: OperationalEvents;
let two: OperationalEvents;
let pager: string;

beforeAll(async () => {
  const replicas = await openReplicas();
  ({ db } = replicas);
  one = new PostgresOperationalEvents(replicas.one.database);
  two = new PostgresOperationalEvents(replicas.two.database);
});
beforeEach(async () => {
  await db.query(`DELETE FROM destination`);
  pager = await addDestination(db, { eventTypes: ['attention.opened', 'attention.closed'] });
});

/** Tells the endpoint which codes are open. */
async function open(codes: readonly string[], at = NOON, events = one): Promise<void> {
  await events.tell(pager, (told) =>
    changesOf(told, codes, at).map((change): Telling => {
      const { code } = change.told;
      const body = `${change.type} ${code}`;
      return { change, delivery: { eventId: randomUUID(), destinationId: pager, code, body } };
    }),
  );
}

const claimed = async (events = one): Promise<string[]> =>
  (await events.claim(10, LEASE_MS, PATIENCE_MS)).map(({ body }) => body).toSorted();

describe('operational events in PostgreSQL', () => {
  it('are for enabled endpoints that ask for them', async () => {
    await addDestination(db);
    await addDestination(db, { eventTypes: ['attention.opened'], enabled: false });
    expect(await one.subscribers()).toEqual([
      { id: pager, types: ['attention.opened', 'attention.closed'], told: [] },
    ]);
    await open(['undelivered']);
    const [subscriber] = await two.subscribers();
    expect(subscriber?.told).toEqual([
      { id: pager, code: 'undelivered', isOpen: true, openedAt: NOON, closedAt: null },
    ]);
  });

  it('are told once, also by two processes at the same time', async () => {
    await Promise.all([open(['a', 'b']), open(['a', 'b'], NOON, two), open(['a'], NOON, two)]);
    expect(await claimed()).toEqual(['attention.opened a', 'attention.opened b']);
  });

  it('are claimed by one process, and again once its lease has ended', async () => {
    await open(['a']);
    const [first, second] = await Promise.all([claimed(), claimed(two)]);
    expect([...first, ...second]).toEqual(['attention.opened a']);
    await db.query(`UPDATE operational_delivery SET due_at = now()`);
    expect(await claimed(two)).toEqual(['attention.opened a']);
  });

  it('go out in order for each code: one that failed holds back the next until the patience is over', async () => {
    await open(['a']);
    await open([], new Date(NOON.getTime() + 1));
    const [opened, ...others] = await one.claim(10, LEASE_MS, PATIENCE_MS);
    expect([opened?.body, others]).toEqual(['attention.opened a', []]);
    if (opened === undefined) throw new Error('nothing was claimed');
    await one.settle(opened, 60_000);
    expect(await claimed()).toEqual([]);
    await db.query(`UPDATE operational_delivery SET created_at = created_at - interval '1 hour'`);
    expect(await claimed()).toEqual(['attention.closed a']);
  });

  it('end when they are delivered or given up; what a process does late changes nothing', async () => {
    await open(['a']);
    const [due] = await one.claim(1, LEASE_MS, PATIENCE_MS);
    if (due === undefined) throw new Error('nothing was claimed');
    await one.settle(due, 0);
    const [again] = await two.claim(1, LEASE_MS, PATIENCE_MS);
    expect(again).toMatchObject({ retries: 1, eventId: due.eventId });
    await one.settle(due, null);
    if (again === undefined) throw new Error('nothing was claimed');
    await two.putOff(again, 0);
    const [last] = await two.claim(1, LEASE_MS, PATIENCE_MS);
    expect(last).toMatchObject({ retries: 1 });
    if (last === undefined) throw new Error('nothing was claimed');
    await two.settle(last, null);
    expect(await db.query(`SELECT 1 FROM operational_delivery`)).toEqual([]);
  });

  it('go with their endpoint, and wait while it is disabled', async () => {
    await open(['a']);
    await db.query(`UPDATE destination SET enabled = false`);
    expect(await claimed()).toEqual([]);
    await db.query(`DELETE FROM destination`);
    expect(await db.query(`SELECT 1 FROM operational_delivery`)).toEqual([]);
    await open(['b']);
    expect(await db.query(`SELECT 1 FROM attention_told`)).toEqual([]);
  });
});
