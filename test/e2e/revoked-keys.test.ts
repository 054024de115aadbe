import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { Browser, type Reply } from '../support/browser.ts';
import { EventStream } from '../support/event-stream.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** The bounds of docs/running/access.md: at the replica that revokes the key, and at all others. */
const HERE_MS = 2_000;
const ELSEWHERE_MS = 5_000;

let stage: Stage;
let one: SharedService;
let other: SharedService;

beforeAll(async () => {
  stage = await Stage.open();
  [one, other] = await Promise.all([stage.startWarm(), stage.startWarm()]);
});

async function newKey(name: string): Promise<string> {
  const answer = await one.fetch('/api/keys', { method: 'POST', body: { name, role: 'viewer' } });
  return String((await jsonOf(answer, 201))['key']);
}

async function revoke(name: string): Promise<number> {
  const answer = await one.fetch(`/api/keys/${name}`, { method: 'DELETE' });
  expect(answer.status).toBe(204);
  return performance.now();
}

function listen(app: SharedService, headers: Record<string, string>): Promise<EventStream> {
  return EventStream.open(`${app.url}/api/events/stream`, headers);
}

async function statusAt(app: SharedService, headers: Record<string, string>): Promise<number> {
  return (await app.fetch('/api/whoami', { headers: { 'x-api-key': '', ...headers } })).status;
}

/** A new key works within a second. */
async function knownAt(app: SharedService, headers: Record<string, string>): Promise<void> {
  await waitFor(async () => (await statusAt(app, headers)) === 200);
}

/** How long after `since` each of the conditions came to hold. */
function timesOf(
  since: number,
  conditions: readonly (() => boolean | Promise<boolean>)[],
): Promise<number[]> {
  return Promise.all(
    conditions.map(async (isMet) => {
      await waitFor(isMet);
      return performance.now() - since;
    }),
  );
}

/** Adds more payments than the buffers of a connection hold. */
async function addLargePayments(): Promise<void> {
  await stage.quote(one);
  const columns = await stage.database.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_name = 'payment' AND column_name NOT IN ('id', 'quote_id', 'metadata')`,
  );
  const same = columns.map(({ name }) => name).join(', ');
  await stage.database.query(
    `INSERT INTO payment (quote_id, metadata, ${same})
     SELECT 'copy ' || n, '{"a":"' || repeat('x', 30000) || '"}', ${same}
     FROM (SELECT * FROM payment LIMIT 1) p, generate_series(1, 1000) n`,
  );
}

/** A client that reads the head of its answer, and no more. */
async function openUnread(app: SharedService, headers: Record<string, string>): Promise<void> {
  const asking = request(`${app.url}/api/payments`, { headers, agent: false }).end();
  asking.on('error', () => undefined);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  expect(answer.statusCode).toBe(200);
}

/** Whether the service has closed the connection. The client would learn this only after reading all that its system holds. */
function isCutOff(app: SharedService): boolean {
  return app.lines.some((line) => line.includes('GET /api/payments aborted'));
}

describe('a revoked key', () => {
  it('is refused and ends its streams within 2 s at the replica that revokes it, and within 5 s at another', async () => {
    const keyed = { 'x-api-key': await newKey('leaver') };
    await knownAt(other, keyed);
    const streams = await Promise.all([one, other].map((app) => listen(app, keyed)));
    const kept = await listen(other, { 'x-api-key': other.apiKey });
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const since = await revoke('leaver');
    expect(await statusAt(one, keyed)).toBe(401);
    const [here = 0, ...elsewhere] = await timesOf(since, [
      () => streams[0]?.isEnded === true,
      () => streams[1]?.isEnded === true,
      async () => (await statusAt(other, keyed)) === 401,
    ]);
    expect(here).toBeLessThan(HERE_MS);
    expect(Math.max(...elsewhere)).toBeLessThan(ELSEWHERE_MS);
    expect(kept.isEnded).toBe(false);
    await stage.quote(one);
    await waitFor(() => kept.events.length > 0);
    expect(streams.flatMap(({ events }) => events)).toEqual([]);
  });

  it('ends a CSV file that its client does not read as soon', async () => {
    await addLargePayments();
    const keyed = { 'x-api-key': await newKey('reader') };
    await knownAt(other, keyed);
    const csv = { ...keyed, accept: 'text/csv' };
    await Promise.all([one, other].map((app) => openUnread(app, csv)));
    const since = await revoke('reader');
    const cuts = [one, other].map((app) => () => isCutOff(app));
    const [here = 0, elsewhere = 0] = await timesOf(since, cuts);
    expect(here).toBeLessThan(HERE_MS);
    expect(elsewhere).toBeLessThan(ELSEWHERE_MS);
  });
});

function ask(browser: Browser, key: string): Promise<Reply> {
  return browser.get('/api/whoami', { 'x-api-key': key });
}

async function guess(browser: Browser, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1)
    statuses.push((await ask(browser, `wrong ${at} ${Math.random()}`)).status);
  return statuses;
}

describe('wrong keys from one address', () => {
  it('are counted by all replicas together, and hold no right key back', async () => {
    const storedKey = await newKey('ops');
    await knownAt(other, { 'x-api-key': storedKey });
    const from = '127.0.0.200';
    const counted = async (): Promise<number> => {
      const sql = `SELECT wrong FROM wrong_key WHERE network = $1`;
      return (await stage.database.query<{ wrong: number }>(sql, [from]))[0]?.wrong ?? 0;
    };
    const clientOf = (app: SharedService): Browser =>
      new Browser(app.url, { accept: 'application/json' }, from);
    await guess(clientOf(one), 5);
    await waitFor(async () => (await counted()) === 5);
    // Simulates tries of the last minutes: the other replica's wait must not end during this test.
    await stage.database.query(`UPDATE wrong_key SET wrong = 9 WHERE network = $1`, [from]);
    const elsewhere = clientOf(other);
    expect(await guess(elsewhere, 1)).toEqual([401]);
    await waitFor(async () => (await counted()) === 10);
    await waitFor(async () => (await guess(elsewhere, 1))[0] === 429);
    expect(await counted()).toBeLessThan(15);
    const { headers } = await ask(elsewhere, 'wrong');
    expect(Number(headers['retry-after'])).toBeGreaterThan(20);
    expect((await ask(elsewhere, storedKey)).status).toBe(200);
  });
});
