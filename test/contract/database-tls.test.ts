import dns from 'node:dns';
import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { failureWords } from '../../src/database/connection/failure-words.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { PrivatePostgres } from '../../tools/testkit/private-postgres.ts';
import { serverUser } from '../../tools/testkit/server-user.ts';
import { configOf } from '../support/config-of.ts';
import { describeWith } from '../support/describe-with.ts';
import { certify, SHOP, TEST_AUTHORITY } from '../support/tls-certificates.ts';

const OTHERS = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), PROVIDER: 'sandbox' };
const SLOW_MS = 60_000;
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-tls-'));
const CA = join(folder, 'ca.pem');
const EXPIRED = certify({ name: 'shop.test', by: TEST_AUTHORITY, years: [2020, 2021] });
const keyOf = (name: string): string => join(folder, `${name}-key.pem`);
let server: PrivatePostgres;

/** Connects, and answers whether the connection is encrypted, or the words for its failure. */
async function tried(
  host: string,
  params: string,
  more: Readonly<Record<string, string>>,
  user = 'paybell',
): Promise<string> {
  const DATABASE_URL = `postgres://${user}@${host}/postgres?${params}`;
  const { databaseUrls } = configOf({ ...OTHERS, DATABASE_URL, ...more });
  const source = new DataSource(dataSourceOptions(databaseUrls ?? [], 1));
  try {
    await source.initialize();
    const [row] = await source.query<{ ssl: boolean }[]>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    );
    await source.destroy();
    return row?.ssl === true ? 'encrypted' : 'plain';
  } catch (error) {
    return failureWords(error);
  }
}

const UNKNOWN =
  /^UNABLE_TO_VERIFY_LEAF_SIGNATURE the server's authority is not known: name its certificate in DATABASE_CA_FILE/;
const OTHER_NAME = /^ERR_TLS_CERT_ALTNAME_INVALID the server's certificate is for another name/;
const NO_TLS = /^the server does not speak TLS: enable it there, or set sslmode=disable/;

/**
 * For each `sslmode`: the result on a server with TLS without its authority, with its authority, and with its authority by
 * another host name; and on a server without TLS.
 */
const MODES = [
  ['disable', 'plain', null, null, 'plain'],
  ['allow', 'plain', 'plain', 'plain', 'plain'],
  ['prefer', 'encrypted', 'encrypted', 'encrypted', 'plain'],
  ['require', 'encrypted', 'encrypted', 'encrypted', NO_TLS],
  ['verify-ca', UNKNOWN, 'encrypted', 'encrypted', NO_TLS],
  ['verify-full', UNKNOWN, 'encrypted', OTHER_NAME, NO_TLS],
  ['no-verify', 'encrypted', null, null, NO_TLS],
] as const;
const ROWS = MODES.flatMap(
  ([mode, alone, known, otherName, bare]) =>
    [
      [mode, 'on, without authority', 'shop.test', {}, alone],
      [mode, 'on, with its authority', 'shop.test', { DATABASE_CA_FILE: CA }, known],
      [mode, 'on, with it and by another name', '127.0.0.1', { DATABASE_CA_FILE: CA }, otherName],
      [mode, 'off', 'shop.test', {}, bare],
    ] as const,
);

describeWith('postgresql', 'TLS to PostgreSQL', () => {
  beforeAll(async () => {
    const cert = join(folder, 'server.pem');
    writeFileSync(CA, TEST_AUTHORITY.cert);
    writeFileSync(cert, SHOP.cert);
    writeFileSync(join(folder, 'expired.pem'), EXPIRED.cert);
    const user = await serverUser();
    for (const [name, { key }] of Object.entries({ server: SHOP, expired: EXPIRED })) {
      writeFileSync(keyOf(name), key, { mode: 0o600 });
      if (user !== undefined) chownSync(keyOf(name), user.uid, user.gid);
    }
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    server = await PrivatePostgres.create(folder, {
      unix_socket_directories: folder,
    });
    await server.set('ssl_key_file', keyOf('server'));
    await server.set('ssl_cert_file', cert);
    const { lookup } = dns;
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((host: string, options: object, done: never) =>
        lookup(host === 'shop.test' ? '127.0.0.1' : host, options, done)) as never);
  }, SLOW_MS);
  afterAll(() => {
    jest.restoreAllMocks();
    server.destroy();
    rmSync(folder, { recursive: true });
  });

  it.each(ROWS.filter(([, , , , expected]) => expected !== null))(
    'sslmode=%s, TLS %s',
    async (mode, tls, host, more, expected) => {
      await server.set('ssl', tls === 'off' ? 'off' : 'on');
      const found = await tried(`${host}:${server.port}`, `sslmode=${mode}`, more);
      expect(found).toMatch(typeof expected === 'string' ? new RegExp(`^${expected}$`) : (expected ?? ''));
    },
    SLOW_MS,
  );

  it('verifies by DATABASE_CA_FILE where no sslmode is set, and sslrootcert comes before it', async () => {
    await server.set('ssl', 'on');
    const more = { DATABASE_CA_FILE: CA };
    expect(await tried(`127.0.0.1:${server.port}`, '', more)).toMatch(OTHER_NAME);
    const root = `sslrootcert=${join(folder, 'server.pem')}`;
    expect(await tried(`shop.test:${server.port}`, root, more)).toMatch(/^UNABLE_TO_/);
  });

  it.each(['require', 'verify-full'])(
    'says by sslmode=%s that the file has another authority',
    async (mode) => {
      await server.set('ssl', 'on');
      const DATABASE_CA_FILE = join(folder, 'other-ca.pem');
      writeFileSync(DATABASE_CA_FILE, certify({ name: 'Another CA', isAuthority: true }).cert);
      expect(await tried(`shop.test:${server.port}`, `sslmode=${mode}`, { DATABASE_CA_FILE })).toMatch(
        /^UNABLE_TO_\w+ the authority in DATABASE_CA_FILE, or in sslrootcert, did not sign the server's certificate/,
      );
    },
  );

  it.each([
    ['hostssl', 'only_tls', 'allow', 'encrypted'],
    ['hostnossl', 'never_tls', 'prefer', 'plain'],
    [
      'hostssl',
      'only_tls',
      'disable',
      '28000 the server takes no unencrypted connection: set sslmode=verify-full in DATABASE_URL',
    ],
  ])('goes by pg_hba.conf: a %s line for %s, with sslmode=%s', async (kind, user, mode, expected) => {
    await server.set('ssl', 'on');
    const [hba = ''] = await server.query('SHOW hba_file');
    await server.query(`CREATE ROLE ${user} LOGIN`).catch(() => undefined);
    writeFileSync(hba, `local all all trust\nhost all paybell all trust\n${kind} all ${user} all trust\n`);
    await server.query('SELECT pg_reload_conf()');
    expect(await tried(`127.0.0.1:${server.port}`, `sslmode=${mode}`, {}, user)).toBe(expected);
  });

  it('connects over a socket as psql does, whatever sslmode says', async () => {
    expect(await tried('', `host=${folder}&port=${server.port}&sslmode=require`, {})).toBe('plain');
  });

  it('names the certificate that has expired', async () => {
    await server.set('ssl_key_file', keyOf('expired'));
    await server.set('ssl_cert_file', join(folder, 'expired.pem'));
    // The server reads its settings again after a moment.
    const words = /^CERT_HAS_EXPIRED the server's certificate has expired: renew it/;
    const params = `sslmode=require&sslrootcert=${CA}`;
    await waitFor(async () => words.test(await tried(`shop.test:${server.port}`, params, {})));
  });
});
