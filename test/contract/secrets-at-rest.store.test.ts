import { randomBytes } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';

import { Database } from '../../src/database/connection/database.ts';
import { EndpointEntity } from '../../src/database/entities/endpoint.entity.ts';
import { SecretBox } from '../../src/database/secrets/secret-box.ts';
import { PostgresSecretsAtRest } from '../../src/database/secrets/secrets-at-rest.store.ts';
import type { PostgresWebhookEndpoints } from '../../src/database/endpoints/webhook-endpoints.store.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { endpointsOn } from '../support/stores.ts';

const NEW = { url: 'https://shop.example/hook', eventTypes: [], description: null };
const [OLD_KEY, KEY] = [randomBytes(32), randomBytes(32)];
const OLD = new SecretBox(OLD_KEY);
const CHANGING = new SecretBox(KEY, OLD_KEY);
const CHANGED = new SecretBox(KEY);

describe('PostgresSecretsAtRest', () => {
  let test: TestDatabase;
  let source: DataSource;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    source = await openDataSource(test);
    database = new Database(source);
    database.open();
  });
  afterEach(async () => {
    await test.query(`DELETE FROM destination`);
    jest.restoreAllMocks();
  });
  afterAll(() => test.drop());

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
        // After the reading, and before the update.
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
