import { createHash, randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { ApiKeyEntity } from '../../src/database/entities/api-key.entity.ts';
import { PostgresApiKeys } from '../../src/database/secrets/api-keys.store.ts';
import { SessionEntity } from '../../src/database/entities/session.entity.ts';
import { PostgresSessions } from '../../src/database/secrets/sessions.store.ts';
import { SESSION_IDLE_MS, SESSION_MAX_MS, type Session } from '../../src/ports/sessions.ts';
import { openReplicas } from '../support/replicas.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const MINUTE_MS = 60_000;
const MAX = 100;

const { db, one: stores, two } = await openReplicas();

function after(ms: number): Date {
  return new Date(NOW + ms);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sessionOf(key: string, at = after(0)): Session {
  return {
    id: randomUUID(),
    keyHash: hashOf(key),
    keyName: key,
    createdAt: at,
    lastUsedAt: at,
    expiresAt: new Date(at.getTime() + SESSION_MAX_MS),
    address: '2001:db8::7',
    userAgent: 'Mozilla/5.0 (Größe)',
  };
}

describe('the sessions', () => {
  const sessions = new PostgresSessions(stores.database, stores.source.getRepository(SessionEntity));
  beforeEach(() => db.query('DELETE FROM dashboard_session'));

  async function added(key: string, token: string, at?: Date): Promise<Session> {
    const session = sessionOf(key, at);
    await sessions.addSession(session, hashOf(token), MAX);
    return session;
  }

  it('are found by the hash of their token, with all that was stored', async () => {
    const session = await added('ops', 'one');
    await added('ops', 'two');
    expect(await sessions.find(hashOf('one'))).toEqual(session);
    expect(await sessions.find('one')).toBeNull();
  });

  it('note a use once in so long', async () => {
    const { id } = await added('ops', 'one');
    const use = async (ms: number): Promise<unknown> => {
      await sessions.noteUse(id, after(ms), after(ms - MINUTE_MS));
      return (await sessions.find(hashOf('one')))?.lastUsedAt;
    };
    expect(await use(MINUTE_MS - 1)).toEqual(after(0));
    expect(await use(MINUTE_MS)).toEqual(after(MINUTE_MS));
    expect(await use(MINUTE_MS + 1)).toEqual(after(MINUTE_MS));
  });

  it('are listed until they end, the most recently used first, up to a limit', async () => {
    const [first, second] = [await added('a', 'one'), await added('b', 'two', after(5))];
    expect(await sessions.list(after(10), 10)).toEqual([second, first]);
    expect(await sessions.list(after(10), 1)).toEqual([second]);
    expect(await sessions.list(after(SESSION_IDLE_MS - 1), 10)).toEqual([second, first]);
    expect(await sessions.list(after(SESSION_IDLE_MS), 10)).toEqual([second]);
    await sessions.noteUse(first.id, after(SESSION_MAX_MS - 1), after(SESSION_MAX_MS - 1));
    expect(await sessions.list(after(SESSION_MAX_MS - 1), 10)).toEqual([
      { ...first, lastUsedAt: after(SESSION_MAX_MS - 1) },
    ]);
    expect(await sessions.list(after(SESSION_MAX_MS), 10)).toEqual([]);
  });

  it('of a key are bounded: the ones that were used least recently make room', async () => {
    const other = await added('shop', 'other', after(-10));
    const [first, second, third] = [sessionOf('ops', after(0)), sessionOf('ops', after(1)), sessionOf('ops')];
    await sessions.addSession(first, hashOf('1'), 2);
    await sessions.addSession(second, hashOf('2'), 2);
    await sessions.noteUse(first.id, after(2), after(2));
    expect(await sessions.addSession(third, hashOf('3'), 2)).toEqual([second.id]);
    const left = await sessions.list(after(3), 10);
    expect(left.map(({ id }) => id).sort()).toEqual([first.id, third.id, other.id].sort());
  });

  it('are removed one by one, by key, and all together', async () => {
    const one = await added('ops', 'one');
    await added('ops', 'two');
    await added('ops', 'three');
    await added('shop', 'four');
    expect([await sessions.remove(one.id), await sessions.remove(one.id)]).toEqual([true, false]);
    expect(await sessions.find(hashOf('one'))).toBeNull();
    expect([await sessions.removeOfKey(hashOf('ops')), await sessions.removeOfKey(hashOf('ops'))]).toEqual([
      2, 0,
    ]);
    expect([await sessions.removeAll(), await sessions.removeAll()]).toEqual([1, 0]);
  });

  it('that have ended are removed, idle ones and old ones, and no others', async () => {
    const used = await added('ops', 'used');
    await added('ops', 'idle');
    await sessions.noteUse(used.id, after(SESSION_MAX_MS - 2), after(0));
    expect(await sessions.removeEnded(after(SESSION_IDLE_MS - 1))).toBe(0);
    expect(await sessions.removeEnded(after(SESSION_IDLE_MS))).toBe(1);
    expect(await sessions.find(hashOf('idle'))).toBeNull();
    expect(await sessions.removeEnded(after(SESSION_MAX_MS - 1))).toBe(0);
    expect(await sessions.removeEnded(after(SESSION_MAX_MS))).toBe(1);
  });

  it('of a key are not more than its limit, however many sign in at once', async () => {
    const elsewhere = new PostgresSessions(two.database, two.source.getRepository(SessionEntity));
    const max = 20;
    const opened = Array.from({ length: 2 * max }, (_none, at) => sessionOf('ops', after(at)));
    const adding = opened.map((session, at) =>
      (at % 2 === 0 ? sessions : elsewhere).addSession(session, hashOf(`token ${at}`), max),
    );
    const ended = (await Promise.all(adding)).flat();
    const left = (await sessions.list(after(200), 1_000)).map(({ id }) => id);
    expect([left.length, ended.length]).toEqual([max, max]);
    expect([...left, ...ended].sort()).toEqual(opened.map(({ id }) => id).sort());
  });

  it('end with their API key, however it is revoked, and no others', async () => {
    const keys = new PostgresApiKeys(stores.database, stores.source.getRepository(ApiKeyEntity));
    for (const [name, role] of [
      ['root', 'admin'],
      ['eva', 'admin'],
      ['ops', 'operator'],
    ] as const) {
      await keys.addKey(name, hashOf(name), role);
      await sessions.addSession(sessionOf(name), hashOf(`token of ${name}`), MAX);
    }
    const names = async (): Promise<string[]> =>
      (await sessions.list(after(0), 10)).map(({ keyName }) => keyName).sort();
    expect(await names()).toEqual(['eva', 'ops', 'root']);
    await keys.remove('ops');
    expect(await names()).toEqual(['eva', 'root']);
    await keys.removeUnlessLastAdmin('eva');
    await keys.removeUnlessLastAdmin('root');
    expect(await names()).toEqual(['root']);
  });
});
