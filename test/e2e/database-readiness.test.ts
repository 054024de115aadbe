import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { AppProcess } from '../support/app-process.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** The service notices it without a request within 5 s, and a busy machine adds to that. */
const FOUND_WITHIN_MS = 8_000;
const BACK_WITHIN_MS = 15_000;
const START_WITHIN_MS = 30_000;

const RENAMES = [
  ['FUNCTION', 'record_polls'],
  ['FUNCTION', 'settle_deliveries'],
  ['FUNCTION', 'record_events'],
  ['TABLE', 'quote_window'],
] as const;

/** The lock that every release takes during its migration. */
const MIGRATION_LOCK = 7_226_235_655;

describe('a migration of another replica', () => {
  it('is waited for with a line in the log, for as long as it takes, and no stop waits for it', async () => {
    const stage = await Stage.open();
    const other = new pg.Client({ connectionString: stage.database.directUrl });
    other.on('error', () => undefined);
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const [app, stopped] = await Promise.all([AppProcess.start(stage.env()), AppProcess.start(stage.env())]);
    const waits = (service: AppProcess): string[] =>
      service.lines.filter((line) => line.includes('waiting for another replica, which is migrating'));
    await waitFor(() => waits(app).length > 0 && waits(stopped).length > 0, {
      timeoutMs: START_WITHIN_MS,
      what: 'the line',
    });
    // The start listens after 5 s, decided or not.
    await waitFor(async () => (await fetch(`${app.url}/health/live`)).status === 200);
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(503);
    expect(await stopped.stop()).toBe(0);
    expect(stopped.lines.join('\n')).not.toContain('trying again');
    // Long enough for several tries of the lock.
    await sleep(500);
    await other.query('COMMIT');
    await app.waitReady();
    expect(waits(app)).toHaveLength(1);
    await other.end();
    expect(await app.stop()).toBe(0);
  });
});

describe('the schema of another release under a running process', () => {
  it('makes it not ready and idle, costs the provider no quote, is logged once, and all goes on when it is back', async () => {
    const stage = await Stage.open();
    const app = await stage.startWarm();
    await stage.addShop(app);
    const quoteIds = await stage.quotes(app, 5);
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1);
    for (const [kind, name] of RENAMES)
      await stage.database.query(`ALTER ${kind} ${name} RENAME TO ${name}_x`);
    stage.say(quoteIds, 'DEPOSIT_RECEIVED');
    const made = stage.provider.calls.count('/api/quote');
    const quote = await app.fetch('/api/quote', { method: 'POST', body: quoteRequest() });
    expect(await jsonOf(quote, 503)).toMatchObject({ code: 'database_unavailable' });
    expect(stage.provider.calls.count('/api/quote')).toBe(made);
    const ready = await fetch(`${app.url}/health/ready`);
    const { checks } = (await ready.json()) as { checks: { database: { detail: string } } };
    expect(ready.status).toBe(503);
    expect(checks.database).toMatchObject({ status: 'unavailable', failed: 'schema' });
    expect(checks.database.detail).toMatch(
      /^this is release (\S+), the schema is of release \1: it has no quote_window, /,
    );
    expect(checks.database.detail).toContain('record_events(), record_polls(), settle_deliveries()');

    const tokens = 'SELECT sum(token)::text AS sum FROM payment_schedule';
    // Waits for a claim that was in flight when the functions were dropped.
    await sleep(500);
    const before = await stage.database.query(tokens);
    await sleep(2_000);
    expect(await stage.database.query(tokens)).toEqual(before);
    expect(app.lines.filter((line) => line.includes('trying again: this is release'))).toHaveLength(1);

    for (const [kind, name] of RENAMES)
      await stage.database.query(`ALTER ${kind} ${name}_x RENAME TO ${name}`);
    await app.waitReady();
    await waitFor(async () => (await stage.at(quoteIds, 'DEPOSIT_RECEIVED')).length === quoteIds.length, {
      timeoutMs: BACK_WITHIN_MS,
    });
    stage.say(quoteIds, 'COMPLETED');
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 3, BACK_WITHIN_MS);
    const types = ['payment.created', 'payment.deposit_received', 'payment.completed'];
    expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds, types));
    expect(app.lines.join('\n')).not.toMatch(/was not recorded|was not stored/);

    // The service notices the change without a request and without a failing statement.
    await stage.database.query('ALTER TABLE relay_quote RENAME COLUMN chain_id TO chain_id_x');
    await waitFor(() => app.lines.some((line) => line.includes('it has no relay_quote.chain_id')), {
      timeoutMs: FOUND_WITHIN_MS,
    });
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(503);
    expect(await app.stop()).toBe(0);
  });
});
