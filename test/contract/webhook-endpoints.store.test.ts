import { randomBytes } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';

import { Database } from '../../src/database/connection/database.ts';
import { SecretBox } from '../../src/database/secrets/secret-box.ts';
import type { PostgresWebhookEndpoints } from '../../src/database/endpoints/webhook-endpoints.store.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { EndpointSecretUnreadable, TooManyEndpoints } from '../../src/ports/webhook-endpoints.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { endpointsOn } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { EndpointEntity } from '../../src/database/entities/endpoint.entity.ts';
import { PostgresSecretsAtRest } from '../../src/database/secrets/secrets-at-rest.store.ts';

const UNKNOWN = '3b241101-e2bb-4255-8caf-4136c566a962';
const NEW = { url: 'https://shop.example/hook', eventTypes: [], description: null };
const OTHER_URL = 'https://shop.example/other';
const BOX = new SecretBox(randomBytes(32));

let test: TestDatabase;
let source: DataSource;
let database: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  source = await openDataSource(test);
  database = new Database(source);
  database.open();
});
afterAll(() => test.drop());

describe('PostgresWebhookEndpoints', () => {
  beforeAll(async () => {
    await test.query(
      `INSERT INTO destination (id, kind, enabled) VALUES ($1, 'rabbitmq', true)
      ON CONFLICT (id) DO NOTHING`,
      [EXCHANGE_ID],
    );
  });
  afterEach(async () => {
    await test.query(`DELETE FROM delivery`);
    await test.query(`DELETE FROM destination WHERE kind = 'webhook'`);
  });
  afterAll(async () => void (await test.query(`DELETE FROM destination`)));

  function store(now = () => new Date(), box = BOX): PostgresWebhookEndpoints {
    return endpointsOn({ database, source }, { box, now });
  }

  async function owe(destinationId: string, state: string): Promise<string> {
    const rows = await test.query<{ id: string }>(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, due_at, leased)
       VALUES ($1, 1, 1, 1, $2, 'head', now(), true) RETURNING id`,
      [destinationId, state],
    );
    return rows[0]?.id ?? '';
  }

  it('keeps what was asked and finds and lists it', async () => {
    const endpoints = store();
    const asked = { url: NEW.url, eventTypes: ['payment.completed' as const], description: 'Käse' };
    const first = await endpoints.create(asked, newSigningKey('v1'));
    const second = await endpoints.create(NEW, newSigningKey('v1'));
    expect(first).toEqual({
      ...asked,
      id: first.id,
      enabled: true,
      disabledReason: null,
      signature: 'v1',
      publicKey: null,
      previousSecretExpiresAt: null,
      createdAt: expect.any(Date),
      state: 'ok',
      refused: { payments: 0, since: null, examples: [] },
      circuit: 'closed',
      failingSince: null,
      nextProbeAt: null,
      problem: null,
      pending: 0,
      oldestPendingAt: null,
      unsent: { count: 0, isMore: false, since: null },
      lastDeliveredAt: null,
    });
    expect(await endpoints.find(first.id)).toEqual(first);
    expect(await endpoints.list()).toEqual([first, second]);
    expect(await endpoints.find(UNKNOWN)).toBeNull();
  });

  it('takes no more than the limit, exactly, however many are added at once by two replicas', async () => {
    const otherSource = await openDataSource(test);
    const other = new Database(otherSource);
    other.open();
    const mine = store();
    const theirs = endpointsOn({ database: other, source: otherSource }, { box: BOX });
    const { id: disabled } = await store().create(NEW, newSigningKey('v1'));
    await store().disable(disabled, 'by request');
    const asked = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? mine : theirs).create(NEW, newSigningKey('v1'), 10),
    );
    const came = await Promise.allSettled(asked);
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    for (const each of came)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'too_many_endpoints' });
    expect(await store().list()).toHaveLength(10);
    await store().remove(disabled);
    await store().create(NEW, newSigningKey('v1'), 10);
    await expect(store().create(NEW, newSigningKey('v1'), 10)).rejects.toThrow(TooManyEndpoints);
    // An endpoint keeps secrets beyond the limit that an earlier release allowed.
    await expect(store().create(NEW, newSigningKey('v1'), 2)).rejects.toThrow(TooManyEndpoints);
    expect(await store().list()).toHaveLength(10);
  });

  it.each([
    ['closed', '1 minute', null],
    ['open', '1 minute', 60],
    ['open', '-1 minute', 0],
    ['recovering', '1 minute', null],
  ])(
    'shows that its circuit is %s, with the probe in %s, until it is enabled again',
    async (state, probeIn, seconds) => {
      const endpoints = store();
      const { id } = await endpoints.create(NEW, newSigningKey('v1'));
      await test.query(
        `INSERT INTO endpoint_circuit (destination_id, state, failures, failing_since, probe_at)
       VALUES ($1, $2, 12, '2026-11-20T12:00:00Z', now() + $3::interval)`,
        [id, state, probeIn],
      );
      const failingSince = new Date('2026-11-20T12:00:00.000Z');
      for (const shown of [await endpoints.find(id), (await endpoints.list())[0]]) {
        expect(shown).toMatchObject({ circuit: state, failingSince });
        const inSeconds = (Number(shown?.nextProbeAt) - Date.now()) / 1_000;
        if (seconds === null) expect(shown?.nextProbeAt).toBeNull();
        else expect(Math.abs(inSeconds - seconds)).toBeLessThan(10);
      }
      const enabled = await endpoints.change(id, { disabledReason: null });
      expect(enabled).toMatchObject({ circuit: 'closed', failingSince: null, nextProbeAt: null });
    },
  );

  it.each(['v1', 'v1a'] as const)(
    'stores no secret readably, of %s, and gives it to the dispatcher, also after a rotation',
    async (version) => {
      const endpoints = store();
      const [key, next] = [newSigningKey(version), newSigningKey(version)];
      const { id, signature, publicKey } = await endpoints.create(NEW, key);
      expect({ signature, publicKey }).toEqual({ signature: version, publicKey: key.publicKey });
      const [row] = await test.query<{ secrets: string }>(`SELECT * FROM destination WHERE id = $1`, [id]);
      expect(row?.secrets).toMatch(new RegExp(`^v1\\.${BOX.keyId}\\.`));
      expect(JSON.stringify(row)).not.toContain(key.secret.slice(6, 38));
      const target = { id, url: NEW.url, description: null, circuit: 'closed', recoveredForMs: null };
      expect(await endpoints.targets()).toEqual([{ ...target, secrets: [key.secret] }]);
      await endpoints.rotate(id, next, new Date(Date.now() + 60_000));
      expect(await endpoints.find(id)).toMatchObject({ signature: version, publicKey: next.publicKey });
      expect(await endpoints.targets()).toEqual([{ ...target, secrets: [next.secret, key.secret] }]);
    },
  );

  it('reads the targets at most once a second, sees own writes at once and those of others within a second', async () => {
    const endpoints = store();
    expect(await endpoints.targets()).toEqual([]);
    await store().create(NEW, newSigningKey('v1'));
    expect(await endpoints.targets()).toEqual([]);
    await waitFor(async () => (await endpoints.targets()).length === 1, { timeoutMs: 3_000 });
    await endpoints.create(NEW, newSigningKey('v1'));
    expect(await endpoints.targets()).toHaveLength(2);
  });

  it('does not keep a failed reading', async () => {
    const flaky = Object.create(database) as Database;
    let isDown = true;
    Object.assign(flaky, {
      query: (sql: string) => (isDown ? Promise.reject(new StoreUnavailable()) : database.query(sql)),
    });
    const endpoints = endpointsOn({ database: flaky, source }, { box: BOX });
    await expect(endpoints.targets()).rejects.toThrow(StoreUnavailable);
    isDown = false;
    expect(await endpoints.targets()).toEqual([]);
  });

  it('leaves out those whose secrets it cannot decrypt, and names them with the remedy, in their views too', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const asked = { ...NEW, description: 'shop\u2028 \u202e"EU"' };
    const other = await store(undefined, new SecretBox(randomBytes(32))).create(asked, newSigningKey('v1'));
    const damaged = await store().create(NEW, newSigningKey('v1'));
    await test.query(
      `UPDATE destination SET secrets = overlay(secrets placing 'AAAA' from 40) WHERE id = $1`,
      [damaged.id],
    );
    const good = await store().create(NEW, newSigningKey('v1'));
    const moved = await store().create(NEW, newSigningKey('v1'));
    await test.query(
      `UPDATE destination SET secrets = (SELECT secrets FROM destination WHERE id = $1) WHERE id = $2`,
      [good.id, moved.id],
    );
    const endpoints = store();
    expect((await endpoints.targets()).map(({ id }) => id)).toEqual([good.id]);
    expect(await endpoints.unreadable()).toEqual([other.id, damaged.id, moved.id]);
    const name = `${other.id} ("shop   \\"EU\\"")`;
    const words = errors.mock.calls.map(([line]) => String(line));
    expect(words).toEqual([
      expect.stringContaining(
        `ENCRYPTION_KEY has changed; endpoint ${name} gets no webhooks. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate the endpoint's secret.`,
      ),
      expect.stringContaining(`endpoint ${damaged.id} gets no webhooks. Rotate the endpoint's secret.`),
      expect.stringContaining(`endpoint ${moved.id} gets no webhooks. Rotate the endpoint's secret.`),
    ]);
    const problems = (await endpoints.list()).map(({ id, problem }) => [id, problem]);
    expect(problems).toEqual([
      [other.id, 'secret_unreadable'],
      [damaged.id, 'secret_unreadable'],
      [good.id, null],
      [moved.id, 'secret_unreadable'],
    ]);
    await endpoints.rotate(other.id, newSigningKey('v1'), new Date(Date.now() + 60_000));
    await endpoints.disable(damaged.id, 'by request');
    await endpoints.remove(moved.id);
    expect(await endpoints.unreadable()).toEqual([]);
    expect(await endpoints.find(other.id)).toMatchObject({ problem: null });
    expect(await endpoints.find(damaged.id)).toMatchObject({ problem: 'secret_unreadable' });
    errors.mockRestore();
  });

  it('logs ten of many, once a minute, and how many more there are', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const wrong = store(undefined, new SecretBox(randomBytes(32)));
    for (let count = 0; count < 13; count += 1) await wrong.create(NEW, newSigningKey('v1'));
    let now = new Date('2026-11-20T12:00:00.000Z');
    const endpoints = store(() => now);
    const lines = async (afterMs: number): Promise<string[]> => {
      now = new Date(now.getTime() + afterMs);
      endpoints.forgetTargets();
      await endpoints.targets();
      return errors.mock.calls.splice(0).map(([line]) => String(line));
    };
    expect(await lines(0)).toHaveLength(11);
    expect(await lines(59_999)).toEqual([]);
    await wrong.create(NEW, newSigningKey('v1'));
    expect(await lines(0)).toHaveLength(1);
    const later = await lines(1);
    expect(later).toHaveLength(11);
    expect(later.at(-1)).toBe('and 4 more webhook endpoints whose secrets cannot be decrypted');
    errors.mockRestore();
  });

  describe('shows what waits for an endpoint', () => {
    const MINUTE_MS = 60_000;

    /** Adds deliveries: the first one that many minutes ago, the others a second apart. */
    async function add(
      destinationId: string,
      state: string,
      count: number,
      minutesAgo: number,
    ): Promise<void> {
      await test.query(
        `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, attempts, created_at)
         SELECT $1, n, n, 1, $2, 'head', 1, now() - $4 * interval '1 minute' + n * interval '1 second'
         FROM generate_series(0, $3::int - 1) n`,
        [destinationId, state, count, minutesAgo],
      );
    }
    const minutesAgo = (time: Date | null): number | null =>
      time === null ? null : Math.round((Date.now() - time.getTime()) / MINUTE_MS);

    it('how many deliveries are pending, and since when, in the list and alone', async () => {
      const endpoints = store();
      const [busy, idle] = [
        await endpoints.create(NEW, newSigningKey('v1')),
        await endpoints.create(NEW, newSigningKey('v1')),
      ];
      await add(busy.id, 'delivered', 3, 90);
      await add(busy.id, 'pending', 40, 30);
      await add(busy.id, 'failed', 2, 80);
      for (const published of [
        await endpoints.list(),
        [await endpoints.find(busy.id), await endpoints.find(idle.id)],
      ])
        expect(published.map((each) => [each?.pending, minutesAgo(each?.oldestPendingAt ?? null)])).toEqual([
          [40, 30],
          [0, null],
        ]);
    });

    it('up to 10,000, and less in a list of many endpoints', async () => {
      const endpoints = store();
      const { id } = await endpoints.create(NEW, newSigningKey('v1'));
      await add(id, 'pending', 10_001, 300);
      expect(await endpoints.find(id)).toMatchObject({ pending: 10_000 });
      expect((await endpoints.list())[0]).toMatchObject({ pending: 10_000 });
      await test.query(
        `INSERT INTO destination (id, kind, enabled, url) SELECT gen_random_uuid(), 'webhook', true, 'x' FROM generate_series(1, 99)`,
      );
      const listed = (await endpoints.list()).find((each) => each.id === id);
      expect(listed).toMatchObject({ pending: 1_000 });
      expect(minutesAgo(listed?.oldestPendingAt ?? null)).toBe(300);
    });

    it('when it took an event last, in whatever order, and also when retention has removed the event', async () => {
      const endpoints = store();
      const { id } = await endpoints.create(NEW, newSigningKey('v1'));
      const last = async (): Promise<number | null> =>
        minutesAgo((await endpoints.find(id))?.lastDeliveredAt ?? null);
      expect(await last()).toBeNull();
      await add(id, 'delivered', 1, 60);
      await test.query(
        `INSERT INTO earlier_attempt (delivery_id, number, made_at, duration_ms)
         SELECT id, 1, now() - interval '50 minutes', 60000 FROM delivery WHERE destination_id = $1`,
        [id],
      );
      expect(await last()).toBe(49);
      await test.query(`UPDATE destination SET delivered_at = now() - interval '20 minutes' WHERE id = $1`, [
        id,
      ]);
      expect(await last()).toBe(20);
      await test.query(`DELETE FROM delivery`);
      expect(await last()).toBe(20);
      await test.query(`DELETE FROM earlier_attempt`);
    });
  });

  it('removes an endpoint and discards what it is still owed, and nothing else', async () => {
    const endpoints = store();
    const { id } = await endpoints.create(NEW, newSigningKey('v1'));
    const other = await endpoints.create(NEW, newSigningKey('v1'));
    const owed = await owe(id, 'pending');
    const published = await owe(id, 'delivered');
    const others = await owe(other.id, 'pending');
    expect(await endpoints.remove(id)).toBe(true);
    const rows = await test.query(
      `SELECT id::text, state, due_at IS NULL AS undue, lane_state, leased FROM delivery ORDER BY id`,
    );
    expect(rows).toEqual([
      { id: owed, state: 'discarded', undue: true, lane_state: 'waiting', leased: false },
      { id: published, state: 'delivered', undue: false, lane_state: 'head', leased: true },
      { id: others, state: 'pending', undue: false, lane_state: 'head', leased: true },
    ]);
    expect((await endpoints.targets()).map((target) => target.id)).toEqual([other.id]);
    expect(await endpoints.remove(id)).toBe(false);
  });

  it('never takes the exchange for a webhook endpoint', async () => {
    const endpoints = store();
    expect(await endpoints.find(EXCHANGE_ID)).toBeNull();
    expect(await endpoints.remove(EXCHANGE_ID)).toBe(false);
    expect(await endpoints.disable(EXCHANGE_ID, 'no')).toBe(false);
    const rows = await test.query(`SELECT enabled FROM destination WHERE id = $1`, [EXCHANGE_ID]);
    expect(rows).toEqual([{ enabled: true }]);
  });

  it('changes what is named and leaves the rest', async () => {
    const endpoints = store();
    const asked = { url: NEW.url, eventTypes: ['payment.completed' as const], description: 'Käse' };
    const first = await endpoints.create(asked, newSigningKey('v1'));
    const url = OTHER_URL;
    expect(await endpoints.change(first.id, {})).toEqual(first);
    expect(await endpoints.change(first.id, { url })).toEqual({ ...first, url });
    const bare = await endpoints.change(first.id, { eventTypes: [], description: null });
    expect(bare).toEqual({ ...first, url, eventTypes: [], description: null });
    expect(await endpoints.find(first.id)).toEqual(bare);
    expect((await endpoints.targets()).map((target) => target.url)).toEqual([url]);
    expect(await endpoints.change(UNKNOWN, { url })).toBeNull();
    expect(await endpoints.change(EXCHANGE_ID, { disabledReason: 'no' })).toBeNull();
  });

  it('disables, keeps the first reason, and enables again with all that is pending', async () => {
    const endpoints = store();
    const { id } = await endpoints.create(NEW, newSigningKey('v1'));
    await owe(id, 'pending');
    // Without the exchange.
    expect((await endpoints.targets()).map((target) => target.id)).toEqual([id]);
    expect(await endpoints.disable(id, 'answered 410 Gone')).toBe(true);
    expect(await endpoints.disable(id, 'once more')).toBe(false);
    const off = await endpoints.change(id, { disabledReason: 'by request' });
    expect(off).toMatchObject({ enabled: false, disabledReason: 'answered 410 Gone' });
    expect(await endpoints.targets()).toEqual([]);
    const rows = await test.query(`SELECT state, lane_state, due_at IS NULL AS undue FROM delivery`);
    expect(rows).toEqual([{ state: 'pending', lane_state: 'head', undue: false }]);
    expect(await endpoints.change(id, { disabledReason: null })).toMatchObject({
      enabled: true,
      disabledReason: null,
    });
    expect((await endpoints.targets()).map((target) => target.id)).toEqual([id]);
    const again = await endpoints.change(id, { disabledReason: 'by request' });
    expect(again).toMatchObject({ enabled: false, disabledReason: 'by request' });
  });

  it.each([
    [
      'changed',
      (endpoints: PostgresWebhookEndpoints, id: string) => endpoints.change(id, { url: OTHER_URL }),
    ],
    ['removed', (endpoints: PostgresWebhookEndpoints, id: string) => endpoints.remove(id)],
  ])('is %s while the outcomes of attempts disable it, without a deadlock', async (how, alter) => {
    const endpoints = store();
    const { id } = await endpoints.create(NEW, newSigningKey('v1'));
    await test.query(
      `INSERT INTO endpoint_circuit (destination_id, state, failures) VALUES ($1, 'open', 20)`,
      [id],
    );
    const settling = new pg.Client({ connectionString: test.url });
    await settling.connect();
    await settling.query('BEGIN');
    await settling.query('SELECT 1 FROM endpoint_circuit WHERE destination_id = $1 FOR UPDATE', [id]);
    const altering = alter(endpoints, id);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitFor(async () => (await test.query(waiting)).length > 0);
    // Without this time limit, the two statements would wait for each other.
    await settling.query(`SET LOCAL lock_timeout = '200ms'`);
    await settling.query('UPDATE destination SET enabled = false WHERE id = $1', [id]);
    await settling.query('COMMIT');
    await altering;
    const left = await endpoints.find(id);
    expect(left === null ? null : [left.url, left.enabled]).toEqual(
      how === 'changed' ? [OTHER_URL, false] : null,
    );
    await settling.end();
  });

  it('signs with the former secret for as long as was promised, and with at most five', async () => {
    let now = new Date('2026-11-20T12:00:00.000Z');
    const endpoints = store(() => now);
    const keys = Array.from({ length: 7 }, () => newSigningKey('v1'));
    const [first, ...more] = keys.map(({ secret }) => secret);
    const { id } = await endpoints.create(NEW, keys[0] ?? newSigningKey('v1'));
    const until = new Date('2026-11-21T12:00:00.000Z');
    expect(await endpoints.rotate(id, keys[1] ?? newSigningKey('v1'), until)).toEqual(until);
    const secretsNow = async (): Promise<readonly string[]> => (await endpoints.target(id))?.secrets ?? [];
    expect(await secretsNow()).toEqual([more[0], first]);
    now = new Date(until.getTime() - 1);
    expect(await secretsNow()).toEqual([more[0], first]);
    now = until;
    expect(await secretsNow()).toEqual([more[0]]);
    const second = (count: number): Date => new Date(until.getTime() + count * 1_000);
    for (const [index, key] of keys.slice(2).entries()) await endpoints.rotate(id, key, second(index + 1));
    expect(await secretsNow()).toEqual(more.slice(-5).toReversed());
    // A later rotation does not prolong the time of a former secret.
    now = second(3);
    expect(await secretsNow()).toEqual(more.slice(-3).toReversed());
    now = second(5);
    expect(await secretsNow()).toEqual([more.at(-1)]);
  });

  it('keeps every secret of rotations at the same time', async () => {
    const [one, other] = [store(), store()];
    const { id } = await one.create(NEW, newSigningKey('v1'));
    const keys = [newSigningKey('v1'), newSigningKey('v1'), newSigningKey('v1')];
    const until = new Date(Date.now() + 60_000);
    await Promise.all(keys.map((key, index) => (index === 1 ? other : one).rotate(id, key, until)));
    const secrets = (await one.target(id))?.secrets;
    expect(secrets).toHaveLength(4);
    expect(secrets).toEqual(expect.arrayContaining(keys.map(({ secret }) => secret)));
  });

  it('starts over with the new secret where the former one cannot be decrypted', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { id } = await store(undefined, new SecretBox(randomBytes(32))).create(NEW, newSigningKey('v1'));
    await expect(store().target(id)).rejects.toThrow(EndpointSecretUnreadable);
    const key = newSigningKey('v1');
    expect(await store().rotate(id, key, new Date(Date.now() + 60_000))).toBeNull();
    expect((await store().target(id))?.secrets).toEqual([key.secret]);
    expect(String(warnings.mock.calls[0])).toContain('no longer signs');
    warnings.mockRestore();
  });

  it('reads one target as it is now, enabled or not', async () => {
    const endpoints = store();
    const key = newSigningKey('v1');
    const { id } = await endpoints.create(NEW, key);
    await store().change(id, { disabledReason: 'by request' });
    expect(await endpoints.target(id)).toEqual({
      id,
      url: NEW.url,
      description: null,
      secrets: [key.secret],
    });
    expect(await endpoints.target(UNKNOWN)).toBeNull();
    expect(await endpoints.target(EXCHANGE_ID)).toBeNull();
  });
});

describe('PostgresSecretsAtRest', () => {
  const NEW = { url: 'https://shop.example/hook', eventTypes: [], description: null };
  const [OLD_KEY, KEY] = [randomBytes(32), randomBytes(32)];
  const OLD = new SecretBox(OLD_KEY);
  const CHANGING = new SecretBox(KEY, OLD_KEY);
  const CHANGED = new SecretBox(KEY);

  afterEach(async () => {
    await test.query(`DELETE FROM destination`);
    jest.restoreAllMocks();
  });

  function endpoints(box: SecretBox): PostgresWebhookEndpoints {
    return endpointsOn({ database, source }, { box });
  }

  async function add(box: SecretBox): Promise<{ id: string; secret: string }> {
    const key = newSigningKey('v1');
    const { id } = await endpoints(box).create(NEW, key);
    return { id, secret: key.secret };
  }

  async function sealedTexts(): Promise<string[]> {
    const rows = await test.query<{ secrets: string }>(`SELECT secrets FROM destination ORDER BY id`);
    return rows.map((row) => row.secrets);
  }

  it('encrypts with the present key what the previous one has encrypted, in batches, once', async () => {
    const added = [];
    for (let count = 0; count < 5; count += 1) added.push(await add(OLD));
    const secrets = new PostgresSecretsAtRest(database, source.getRepository(EndpointEntity), CHANGING);
    const first = await secrets.renew(null, 3);
    expect(first).toEqual({ renewed: 3, unreadable: 0, next: expect.any(String) });
    expect(await secrets.renew(first.next, 3)).toEqual({ renewed: 2, unreadable: 0, next: null });
    const sealed = await sealedTexts();
    expect(sealed.every((text) => text.startsWith(CHANGED.prefix))).toBe(true);
    expect(await secrets.renew(null, 3)).toEqual({ renewed: 0, unreadable: 0, next: null });
    expect(await sealedTexts()).toEqual(sealed);
    for (const { id, secret } of added)
      expect((await endpoints(CHANGED).target(id))?.secrets).toEqual([secret]);
  });

  it('keeps former secrets with the time they end', async () => {
    const { id, secret } = await add(OLD);
    const key = newSigningKey('v1');
    await endpoints(OLD).rotate(id, key, new Date('2999-01-01T00:00:00.000Z'));
    await new PostgresSecretsAtRest(database, source.getRepository(EndpointEntity), CHANGING).renew(null, 10);
    const after = (now: string): PostgresWebhookEndpoints =>
      endpointsOn({ database, source }, { box: CHANGED, now: () => new Date(now) });
    expect((await after('2998-12-31T00:00:00.000Z').target(id))?.secrets).toEqual([key.secret, secret]);
    expect((await after('2999-01-01T00:00:00.000Z').target(id))?.secrets).toEqual([key.secret]);
  });

  it('passes over what neither key opens, and says so', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await add(new SecretBox(randomBytes(32)));
    await add(OLD);
    const secrets = new PostgresSecretsAtRest(database, source.getRepository(EndpointEntity), CHANGING);
    expect(await secrets.renew(null, 10)).toEqual({ renewed: 1, unreadable: 1, next: null });
    expect(String(errors.mock.calls[0])).toMatch(
      /^ENCRYPTION_KEY has changed; endpoint \S+ gets no webhooks\. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate/,
    );
  });

  it('does not undo a rotation that came in between', async () => {
    const { id } = await add(OLD);
    const key = newSigningKey('v1');
    const between = Object.create(database) as Database;
    Object.assign(between, {
      withRepository: async (...given: Parameters<Database['withRepository']>) => {
        const result = await database.withRepository(...given);
        // Runs between the read and the update.
        if (Array.isArray(result)) await endpoints(OLD).rotate(id, key, new Date('2999-01-01T00:00:00.000Z'));
        return result;
      },
    });
    const done = await new PostgresSecretsAtRest(
      between,
      source.getRepository(EndpointEntity),
      CHANGING,
    ).renew(null, 10);
    expect(done).toEqual({ renewed: 0, unreadable: 0, next: null });
    expect((await endpoints(OLD).target(id))?.secrets[0]).toBe(key.secret);
  });
});
