import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';

import { WaysToConnect } from '../../src/database/connection/ways-to-connect.ts';
import { configOf, problemsOf } from '../support/config-of.ts';
import { SHOP, TEST_AUTHORITY } from '../support/tls-certificates.ts';

const OTHERS = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), PROVIDER: 'sandbox' };
const folder = mkdtempSync(join(tmpdir(), 'paybell-urls-'));
const CA = join(folder, 'ca.pem');
const CERT = join(folder, 'cert.pem');
const KEY = join(folder, 'key.pem');
writeFileSync(CA, TEST_AUTHORITY.cert);
writeFileSync(CERT, SHOP.cert);
writeFileSync(KEY, SHOP.key);
afterAll(() => rmSync(folder, { recursive: true }));

function waysOf(url: string, more: Readonly<Record<string, string>> = {}): WaysToConnect {
  return new WaysToConnect(configOf({ ...OTHERS, DATABASE_URL: url, ...more }).databaseUrls ?? []);
}

/** The parts of a way except its encryption. */
function partsOf({ ssl: _ssl, ...parts }: object & { ssl?: unknown }): object {
  return parts;
}

const U = { user: 'u', password: 'hunter2' };

it.each([
  ['postgres://u:hunter2@a:1/x', [{ ...U, host: 'a', port: '1', database: 'x' }]],
  ['postgresql://u:p%40%25%2Fz@a', [{ host: 'a', user: 'u', password: 'p@%/z' }]],
  ['postgres://u:p@ss@a/x%2Fy%23', [{ host: 'a', user: 'u', password: 'p@ss', database: 'x/y#' }]],
  ['postgres://[::1]:3/x', [{ host: '::1', port: '3', database: 'x' }]],
  ['postgres://u@/x?host=/run/postgresql', [{ host: '/run/postgresql', user: 'u', database: 'x' }]],
  [
    'postgres://u@/x?host=/run/a,b.example,::1&port=1,2,3',
    [
      { host: '/run/a', port: '1', user: 'u', database: 'x' },
      { host: 'b.example', port: '2', user: 'u', database: 'x' },
      { host: '::1', port: '3', user: 'u', database: 'x' },
    ],
  ],
  [
    'postgres://u:p@%2Frun%2Fpg/x?port=7',
    [{ host: '/run/pg', port: '7', user: 'u', password: 'p', database: 'x' }],
  ],
  [
    'postgres://u:p@a:5/x?host=/run/pg',
    [{ host: '/run/pg', port: '5', user: 'u', password: 'p', database: 'x' }],
  ],
  [
    'postgres:///x?host=/run/pg&user=u&password=p',
    [{ host: '/run/pg', user: 'u', password: 'p', database: 'x' }],
  ],
  ['postgres://u:p%25:q@/x', [{ user: 'u', password: 'p%:q', database: 'x' }]],
  ['postgres://u@:7/x', [{ host: 'localhost', port: '7', user: 'u', database: 'x' }]],
  ['postgres://a/?dbname=x&options=-c%20a%3Db', [{ host: 'a', database: 'x', options: '-c a=b' }]],
])('DATABASE_URL is read as libpq reads it: %s', (url, parts) => {
  expect(waysOf(url).inTurn.map(partsOf)).toEqual(parts);
});

const STRAY = 'DATABASE_URL has a % that begins no encoded character: write % itself as %25';
const FORM = 'DATABASE_URL is not a URL that begins with postgres://';

it.each([
  ['postgres://u:hunter2%zz@a/x', STRAY],
  ['postgres://u:hunter2%@a/x', STRAY],
  ['postgres://u%ff:hunter2@a/x', STRAY],
  ['postgres://u:hunter2@a/x%', STRAY],
  ['postgres://u:hunter2#1@a/x', FORM],
  ['postgres://u:hunter2@a:x/x', FORM],
  ['postgres://u:hunter2@a,b,c/x?port=1,2', FORM],
  ['postgres://u:hunter2@a,b/x?host=c,', FORM],
  ['postgres://a/x?sslmode=on', 'DATABASE_URL has sslmode=on, which is not one of: disable, allow'],
  ['postgres://a/x?ssl=maybe', 'DATABASE_URL has sslmode=maybe, which is not one of'],
  [
    'postgres://a/x?sslrootcert=system&sslmode=require',
    'sslrootcert=system, which needs sslmode=verify-full',
  ],
  ['postgres://a/x?sslnegotiation=direct&sslmode=prefer', 'which needs sslmode=require or more'],
  [
    `postgres://a/x?sslmode=verify-ca&sslrootcert=${CA}.no`,
    `has sslrootcert "${CA}.no", which does not exist (ENOENT)`,
  ],
  [`postgres://a/x?sslrootcert=${KEY}`, `has sslrootcert "${KEY}", which has no certificate in PEM`],
  [`postgres://a/x?sslcert=${CERT}`, 'has one of sslcert and sslkey: it needs both'],
  [
    `postgres://a/x?sslcert=${CERT}&sslkey=${KEY}.no`,
    `has sslkey "${KEY}.no", which does not exist (ENOENT)`,
  ],
  [
    `postgres://a/x?sslcert=${CA}&sslkey=${KEY}`,
    'has an sslcert and an sslkey that cannot be used together (ERR_',
  ],
])('DATABASE_URL is refused at the start, and its password not repeated: %s', (url, problem) => {
  const problems = problemsOf({ ...OTHERS, DATABASE_URL: url });
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(problems.join()).not.toContain('hunter2');
});

const ON_A_SOCKET = 'postgres://u@/x?host=/run/pg&sslmode=require';

describe('DATABASE_CA_FILE', () => {
  it.each([
    [{}, 'DATABASE_CA_FILE needs a DATABASE_URL'],
    [
      { ...OTHERS, DATABASE_URL: 'postgres://a/x?sslmode=disable' },
      'DATABASE_CA_FILE needs a DATABASE_URL whose sslmode',
    ],
    [
      { ...OTHERS, DATABASE_URL: 'postgres://a/x?ssl=no-verify' },
      'DATABASE_CA_FILE needs a DATABASE_URL whose sslmode',
    ],
  ])('is refused where no server is verified by it: %j', (env, problem) => {
    expect(problemsOf({ ...env, DATABASE_CA_FILE: CA })).toEqual([expect.stringContaining(problem)]);
  });
});

/**
 * How the connection is encrypted: not at all, or with TLS, with or without verification, by these authorities or the
 * well-known ones.
 */
function encryptionOf({ ssl }: { readonly ssl?: unknown }): string {
  if (ssl === undefined) return 'PGSSLMODE';
  if (ssl === false) return 'plain';
  const { rejectUnauthorized, ca, checkServerIdentity } = ssl as Record<string, unknown>;
  if (rejectUnauthorized === false) return 'unverified';
  return `${checkServerIdentity === undefined ? 'name' : 'chain'} by ${ca === undefined ? 'all' : 'ca'}`;
}

const BOTH = { weak: /encrypts only where the server does and verifies no server: set sslmode=verify-full/ };
const OPTIONAL = { weak: /encrypts only where the server does: set sslmode=verify-full/ };
const UNVERIFIED = {
  weak: /encrypts and does not verify the server: set sslmode=verify-full, and DATABASE_CA_FILE/,
};

describe.each([
  ['', ['PGSSLMODE'], null, ['name by ca'], null],
  ['sslmode=disable', ['plain'], null, null, null],
  ['sslmode=allow', ['plain', 'unverified'], BOTH, ['plain', 'chain by ca'], OPTIONAL],
  ['sslmode=prefer', ['unverified', 'plain'], BOTH, ['chain by ca', 'plain'], OPTIONAL],
  ['sslmode=require', ['unverified'], UNVERIFIED, ['chain by ca'], null],
  ['sslmode=require&uselibpqcompat=true', ['unverified'], UNVERIFIED, ['chain by ca'], null],
  ['sslmode=verify-ca', ['name by all'], null, ['chain by ca'], null],
  ['sslmode=verify-full', ['name by all'], null, ['name by ca'], null],
  ['ssl=true', ['name by all'], null, ['name by ca'], null],
  ['sslmode=no-verify', ['unverified'], UNVERIFIED, null, null],
  ['sslrootcert=system', ['name by all'], null, ['name by all'], null],
])('a DATABASE_URL with "%s"', (params, without, warned, withCa, stillWarned) => {
  it.each([
    ['no authority', {}, without, warned],
    ['an authority', { DATABASE_CA_FILE: CA }, withCa, stillWarned],
  ] as const)(
    'and %s connects in these ways, and a warning says where none is verified',
    (_what, more, ways, weak) => {
      if (ways === null) return;
      const env = { ...OTHERS, DATABASE_URL: `postgres://a/x?${params}`, ...more };
      const { databaseUrls, warnings } = configOf(env);
      expect(new WaysToConnect(databaseUrls ?? []).inTurn.map(encryptionOf)).toEqual(ways);
      expect(warnings).toEqual(weak === null ? [] : [expect.stringMatching(weak.weak)]);
    },
  );
});

it('names the parameters that are ignored, and warns of no encryption on a socket', () => {
  const ignored = 'postgres://a/x?schema=shop&pgbouncer=true&hunter%2012=1';
  expect(configOf({ ...OTHERS, DATABASE_URL: ignored, DATABASE_DIRECT_URL: ON_A_SOCKET }).warnings).toEqual([
    "DATABASE_URL has parameters that Paybell ignores (schema, pgbouncer, one with other letters): the tables are in public, or in a schema with the user's name",
  ]);
  expect(waysOf(ON_A_SOCKET).inTurn.map(encryptionOf)).toEqual(['plain']);
});

it('reads its files again after a failure, and keeps what it has read while one is gone', () => {
  const file = join(folder, 'renewed.pem');
  writeFileSync(file, TEST_AUTHORITY.cert);
  const ways = waysOf(`postgres://a,b/x?sslmode=verify-full&sslrootcert=${file}`);
  const first = ways.current;
  ways.leave(first, new Error('no'));
  ways.leave(first, new Error('another caller has left it already'));
  expect(ways.current).toMatchObject({ host: 'b', ssl: { ca: TEST_AUTHORITY.cert } });
  rmSync(file);
  ways.leave(ways.current, new Error('no'));
  expect(ways.current).toMatchObject({ host: 'b', ssl: { ca: TEST_AUTHORITY.cert } });
  writeFileSync(file, SHOP.cert);
  ways.leave(ways.current, new Error('no'));
  expect(ways.current).toMatchObject({ host: 'a', ssl: { ca: SHOP.cert } });
});
