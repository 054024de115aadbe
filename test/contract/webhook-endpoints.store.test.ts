import { randomBytes } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { Database } from '../../src/adapters/postgres/database.ts';
import { SecretBox } from '../../src/adapters/postgres/secret-box.ts';
import { PostgresWebhookEndpoints } from '../../src/adapters/postgres/webhook-endpoints.store.ts';
import { EXCHANGE_DESTINATION_ID } from '../../src/ports/deliveries.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { newSecret } from '../../src/webhooks/new-secret.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

const UNKNOWN = '3b241101-e2bb-4255-8caf-4136c566a962';
const NEW = { url: 'https://shop.example/hook', eventTypes: [], description: null };
const BOX = new SecretBox(randomBytes(32));

describe('PostgresWebhookEndpoints', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = new Database(await test.dataSource());
    database.open();
    await test.query(
      `INSERT INTO destination (id, kind, enabled) VALUES ($1, 'rabbitmq', true)
      ON CONFLICT (id) DO NOTHING`,
      [EXCHANGE_DESTINATION_ID],
    );
  });
  afterEach(async () => {
    await test.query(`DELETE FROM delivery`);
    await test.query(`DELETE FROM destination WHERE kind = 'webhook'`);
  });
  afterAll(() => test.drop());

  function store(now = () => new Date(), box = BOX): PostgresWebhookEndpoints {
    return new PostgresWebhookEndpoints(database, box, { now });
  }

  async function owe(destinationId: string, state: string): Promise<string> {
    const rows = await test.query<{ id: string }>(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane, due_at, leased)
       VALUES ($1, 1, 1, 1, $2, 1, now(), true) RETURNING id`,
      [destinationId, state],
    );
    return rows[0]?.id ?? '';
  }

  it('keeps what was asked and finds and lists it', async () => {
    const endpoints = store();
    const asked = { url: NEW.url, eventTypes: ['payment.completed' as const], description: 'Käse' };
    const first = await endpoints.create(asked, newSecret());
    const second = await endpoints.create(NEW, newSecret());
    expect(first).toEqual({ ...asked, id: first.id, enabled: true, createdAt: expect.any(Date) });
    expect(await endpoints.find(first.id)).toEqual(first);
    expect(await endpoints.list()).toEqual([first, second]);
    expect(await endpoints.find(UNKNOWN)).toBeNull();
  });

  it('stores no secret readably and gives it to the dispatcher', async () => {
    const secret = newSecret();
    const { id } = await store().create(NEW, secret);
    const [row] = await test.query<{ secrets: string }>(`SELECT secrets FROM destination WHERE id = $1`, [
      id,
    ]);
    expect(row?.secrets).toMatch(new RegExp(`^v1\\.${BOX.keyId}\\.`));
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
    expect(await store().targets()).toEqual([{ id, url: NEW.url, secrets: [secret] }]);
  });

  it('signs with those of several secrets that have not expired, the newest first', async () => {
    const { id } = await store().create(NEW, newSecret());
    const secrets = [
      { secret: 'whsec_new', expiresAt: null },
      { secret: 'whsec_old', expiresAt: '2026-11-21T00:00:00.000Z' },
    ];
    await test.query(`UPDATE destination SET secrets = $2 WHERE id = $1`, [
      id,
      BOX.seal(JSON.stringify(secrets), id),
    ]);
    const before = await store(() => new Date('2026-11-20T23:59:59.999Z')).targets();
    const after = await store(() => new Date('2026-11-21T00:00:00.000Z')).targets();
    expect(before[0]?.secrets).toEqual(['whsec_new', 'whsec_old']);
    expect(after[0]?.secrets).toEqual(['whsec_new']);
  });

  it('leaves out the exchange and what is disabled', async () => {
    const endpoints = store();
    const { id } = await endpoints.create(NEW, newSecret());
    expect(await endpoints.targets()).toHaveLength(1);
    await endpoints.disable(id, 'answered 410 Gone');
    expect(await endpoints.targets()).toEqual([]);
    expect(await endpoints.find(id)).toMatchObject({ enabled: false });
    const rows = await test.query(`SELECT disabled_reason AS reason FROM destination WHERE id = $1`, [id]);
    expect(rows).toEqual([{ reason: 'answered 410 Gone' }]);
  });

  it('reads the targets at most once a second, sees own writes at once and those of others within a second', async () => {
    const endpoints = store();
    expect(await endpoints.targets()).toEqual([]);
    await store().create(NEW, newSecret());
    expect(await endpoints.targets()).toEqual([]);
    await waitFor(async () => (await endpoints.targets()).length === 1, { timeoutMs: 3_000 });
    await endpoints.create(NEW, newSecret());
    expect(await endpoints.targets()).toHaveLength(2);
  });

  it('does not keep a failed reading', async () => {
    const flaky = Object.create(database) as Database;
    let isDown = true;
    Object.assign(flaky, {
      query: (sql: string) => (isDown ? Promise.reject(new StoreUnavailable()) : database.query(sql)),
    });
    const endpoints = new PostgresWebhookEndpoints(flaky, BOX, { now: () => new Date() });
    await expect(endpoints.targets()).rejects.toThrow(StoreUnavailable);
    isDown = false;
    expect(await endpoints.targets()).toEqual([]);
  });

  it('leaves out an endpoint whose secret it can not decrypt and serves the others', async () => {
    await store(undefined, new SecretBox(randomBytes(32))).create(NEW, newSecret());
    const moved = await store().create(NEW, newSecret());
    const good = await store().create(NEW, newSecret());
    await test.query(
      `UPDATE destination SET secrets = (SELECT secrets FROM destination WHERE id = $1) WHERE id = $2`,
      [good.id, moved.id],
    );
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const endpoints = store();
    expect((await endpoints.targets()).map(({ id }) => id)).toEqual([good.id]);
    await endpoints.disable(UNKNOWN, 'to read again');
    await endpoints.targets();
    // One line for each of the two, not one for each reading.
    expect(errors.mock.calls.flat()).toHaveLength(2);
    expect(String(errors.mock.calls[0])).toContain(`but ENCRYPTION_KEY is the key ${BOX.keyId}`);
    errors.mockRestore();
  });

  it('removes an endpoint and discards what it is still owed, and nothing else', async () => {
    const endpoints = store();
    const { id } = await endpoints.create(NEW, newSecret());
    const other = await endpoints.create(NEW, newSecret());
    const owed = await owe(id, 'pending');
    const told = await owe(id, 'delivered');
    const others = await owe(other.id, 'pending');
    expect(await endpoints.remove(id)).toBe(true);
    const rows = await test.query(
      `SELECT id::text, state, due_at IS NULL AS undue, lane, leased FROM delivery ORDER BY id`,
    );
    expect(rows).toEqual([
      { id: owed, state: 'discarded', undue: true, lane: 0, leased: false },
      { id: told, state: 'delivered', undue: false, lane: 1, leased: true },
      { id: others, state: 'pending', undue: false, lane: 1, leased: true },
    ]);
    expect((await endpoints.targets()).map((target) => target.id)).toEqual([other.id]);
    expect(await endpoints.remove(id)).toBe(false);
  });

  it('never takes the exchange for a webhook endpoint', async () => {
    const endpoints = store();
    expect(await endpoints.find(EXCHANGE_DESTINATION_ID)).toBeNull();
    expect(await endpoints.remove(EXCHANGE_DESTINATION_ID)).toBe(false);
    await endpoints.disable(EXCHANGE_DESTINATION_ID, 'no');
    const rows = await test.query(`SELECT enabled FROM destination WHERE id = $1`, [EXCHANGE_DESTINATION_ID]);
    expect(rows).toEqual([{ enabled: true }]);
  });
});
