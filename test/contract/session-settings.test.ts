import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import { dataSourceOptions, migrationOptions } from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import { migrate } from '../../src/database/gate/migrate.ts';
import { settingQuery } from '../../src/database/connection/session-settings.ts';
import { createEmptyDatabase, databaseUrl, onServer, type TestDatabase } from '../support/database.ts';
import { HOSTILE, hostileRole } from '../support/hostile-settings.ts';

const LIMITS = { statement_timeout: '20s', idle_in_transaction_session_timeout: '20s' };
/** Settings of the categories below that change no value, no statement and no result. */
const LEFT_OUT = new Set([
  // Settings for the places of rows.
  'default_tablespace',
  'temp_tablespaces',
  'default_table_access_method',
  'default_toast_compression',
  'gin_pending_list_limit',
  'lo_compat_privileges',
  'synchronize_seqscans',
  'createrole_self_grant',
  // Where the server finds its libraries and files.
  'dynamic_library_path',
  'extension_control_path',
  'extension_destdir',
  'icu_validation_level',
  'jit_provider',
  'local_preload_libraries',
  'session_preload_libraries',
  // The form of messages to the client, which goes by their codes.
  'client_min_messages',
  'lc_messages',
  'event_triggers',
  'password_encryption',
  // Settings of a transaction, which BEGIN sets.
  'transaction_deferrable',
  'transaction_isolation',
  'transaction_read_only',
  // An operator's guard against writers, which Paybell respects.
  'default_transaction_read_only',
  // Paybell creates its functions without the check, and has no views.
  'check_function_bodies',
  'restrict_nonsystem_relation_kind',
]);

let empty: TestDatabase;
let role: Awaited<ReturnType<typeof hostileRole>>;

beforeAll(async () => {
  empty = await createEmptyDatabase();
  await empty.query('CREATE SCHEMA elsewhere');
  role = await hostileRole(empty.name);
});
afterAll(async () => {
  await empty.drop();
  await role.drop();
});

function connect(options = dataSourceOptions(role.urlOf(empty.directUrl), 1)): Promise<DataSource> {
  return new DataSource(options).initialize();
}

/** Creates a role of this kind; returns the URL with which it connects to the database. */
async function makeRole({ name: database, directUrl }: TestDatabase, kind = ''): Promise<[string, string]> {
  const name = `${database}_clerk`;
  await onServer(`CREATE ROLE ${name} LOGIN ${kind} PASSWORD '${name}'`);
  const url = new URL(directUrl);
  Object.assign(url, { username: name, password: name });
  return [name, url.href];
}

/** The driver's callback when the server names its process: a pooler names a process of its own making. */
async function behindPooler(): Promise<DataSource> {
  const prototype = pg.Client.prototype as unknown as { _handleBackendKeyData(message: unknown): void };
  const named = jest.spyOn(prototype, '_handleBackendKeyData').mockReturnValue();
  const source = await connect();
  await source.query('SELECT 1');
  named.mockRestore();
  return source;
}

/** Settings that a server would change on this connection when it reloads its configuration. */
const NOT_KEPT = `SELECT name FROM pg_settings WHERE source <> 'session'
  AND strpos($1, '(''' || lower(name) || ''',') > 0`;

/** The settings that a connection of the service would still have to make. */
const LEFT = settingQuery(LIMITS, 'transaction').replace(
  /SELECT pg_catalog\.set_config\([^)]*\)/,
  'SELECT name',
);

describe.each([
  ["the server's own", () => connect()],
  ["a pooler's", behindPooler],
])('a connection that is %s', (_name, open) => {
  it('has our settings in each statement and transaction, whatever the role and the database have', async () => {
    const source = await open();
    const database = new Database(source);
    database.open();
    expect(await database.query(LEFT)).toEqual([]);
    expect(await database.transaction((queries) => queries.query(LEFT))).toEqual([]);
    expect(await database.transaction((_queries, manager) => manager.query(LEFT))).toEqual([]);
    const now = `SELECT transaction_timestamp() AS at, current_setting('transaction_read_only') AS read_only,
      current_setting('transaction_isolation') AS isolation, 0.1::float8 + 0.2 AS sum, '\\x41' AS text`;
    expect(await database.query(now)).toEqual([
      { at: expect.any(Date), read_only: 'off', isolation: 'read committed', sum: 0.1 + 0.2, text: '\\x41' },
    ]);
    await source.destroy();
  });
});

it('leaves nothing on a connection that a pooler hands to others', async () => {
  const source = await behindPooler();
  const database = new Database(source);
  database.open();
  await database.query('SELECT 1');
  const left = (await source.query<{ value: string }[]>(LEFT)).map(({ value }) => value);
  // The driver itself asks for UTF8.
  expect(left.sort()).toEqual(
    Object.keys(HOSTILE)
      .filter((name) => name !== 'client_encoding')
      .sort(),
  );
  await source.destroy();
});

it('knows each setting that a role may have and that changes a value, a statement or its end', async () => {
  const rows = await onServer<{ name: string }>(
    `SELECT name FROM pg_settings WHERE context IN ('user', 'superuser') AND (category LIKE 'Client Connection Defaults%'
       OR category LIKE 'Version and Platform Compatibility%' OR category = 'Error Handling')
       AND name !~ '^vacuum_'`,
  );
  const made = settingQuery(LIMITS, 'session').toLowerCase();
  const unknown = rows.filter(
    ({ name }) => !LEFT_OUT.has(name) && !made.includes(`('${name.toLowerCase()}',`),
  );
  expect(unknown).toEqual([]);
  for (const name of Object.keys(HOSTILE)) expect(made).toContain(`('${name.toLowerCase()}',`);
});

describe('a migration', () => {
  it('makes the tables where they are looked for, whatever the role and the database have', async () => {
    const source = await connect(migrationOptions(role.urlOf(empty.directUrl)));
    await migrate(source);
    await source.destroy();
    const [table] = await empty.query(`SELECT schemaname FROM pg_tables WHERE tablename = 'payment'`);
    expect(table).toEqual({ schemaname: 'public' });
  });

  it('refuses tables that are where nobody looks for them', async () => {
    const other = await createEmptyDatabase();
    await other.query('CREATE SCHEMA elsewhere');
    await other.query('CREATE TABLE elsewhere.paybell_migration ()');
    const source = await connect(migrationOptions(other.directUrl));
    await expect(migrate(source)).rejects.toThrow(/^the tables are in the schema elsewhere: move them/);
    await source.destroy();
    await other.drop();
  });

  it.each([
    ['may make no tables', 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'],
    ['may not use it', 'REVOKE ALL ON SCHEMA public FROM PUBLIC'],
    ['finds none', 'DROP SCHEMA public'],
  ])('says what to do where the user %s, and takes a schema with its name', async (_why, change) => {
    const other = await createEmptyDatabase();
    const [name, url] = await makeRole(other);
    await other.query(change);
    const migrated = async (): Promise<void> => {
      const source = await connect(migrationOptions(url));
      try {
        await migrate(source);
      } finally {
        await source.destroy();
      }
    };
    await expect(migrated()).rejects.toThrow(
      /^the user may make no tables in public: make a schema with the user's name, or grant CREATE there$/,
    );
    if (change.startsWith('DROP')) {
      await other.query(`CREATE SCHEMA AUTHORIZATION ${name}`);
      await migrated();
      await other.query(`REVOKE CREATE ON SCHEMA ${name} FROM ${name}`);
      await migrated();
    }
    await other.drop();
    await onServer(`DROP ROLE ${name}`);
  });

  it('refuses a database of another encoding in one sentence', async () => {
    const name = `${empty.name}_ascii`;
    await onServer(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`);
    const source = await connect(migrationOptions(databaseUrl(name)));
    await expect(migrate(source)).rejects.toThrow(/^the database must be UTF8$/);
    await source.destroy();
    await onServer(`DROP DATABASE ${name}`);
  });
});

it.each([
  ['a superuser', 'SUPERUSER', []],
  ['any other role', 'NOSUPERUSER', ['session_replication_role']],
])('keeps its settings when the server reads its configuration again: %s', async (_who, kind, left) => {
  const plain = await createEmptyDatabase();
  const [name, url] = await makeRole(plain, kind);
  const source = await connect(dataSourceOptions(url, 1));
  const made = settingQuery(LIMITS, 'session').toLowerCase();
  expect(await source.query(NOT_KEPT, [made])).toEqual(left.map((setting) => ({ name: setting })));
  await source.destroy();
  await plain.drop();
  await onServer(`DROP ROLE ${name}`);
});

it('is not made by a role that a superuser has turned the triggers off for: the connection fails', async () => {
  const plain = await createEmptyDatabase();
  const [name, url] = await makeRole(plain);
  await onServer(`ALTER ROLE ${name} SET session_replication_role TO 'replica'`);
  await expect(connect(dataSourceOptions(url, 1))).rejects.toMatchObject({ code: '42501' });
  await plain.drop();
  await onServer(`DROP ROLE ${name}`);
});
