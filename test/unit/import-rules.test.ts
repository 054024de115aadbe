import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const ALLOWED: Readonly<Record<string, string>> = {
  'src/ports/allowed.ts': "export { a } from '../domain/a.ts';",
  'src/gateway/allowed.ts':
    "export { a } from '../domain/a.ts';\nexport { p } from '../ports/p.ts';\nexport { Logger } from '@nestjs/common';",
  'src/provider-connection/allowed.ts':
    "export { a } from '../domain/a.ts';\nexport { p } from '../ports/p.ts';\nexport { Pool } from 'undici';",
  'src/provider-connection/allowed-reading.ts': "export { b } from '../bounded-reading/b.ts';",
  'src/adapters/webhook/allowed.ts': "export { b } from '../../bounded-reading/b.ts';",
  'src/bounded-reading/allowed.ts': "export { isIP } from 'node:net';",
  'src/adapters/provider-http/allowed.ts': "export { c } from '../../provider-connection/c.ts';",
  'src/adapters/provider-relay/allowed.ts':
    "export { c } from '../../provider-connection/c.ts';\nexport { base58 } from '@scure/base';",
  'src/adapters/rabbitmq/allowed.ts':
    "export { a } from '../../domain/a.ts';\nexport { connect } from 'amqplib';\nexport { setTimeout } from 'node:timers/promises';",
};

const FORBIDDEN: Readonly<Record<string, string>> = {
  'src/domain/imports-a-port.ts': "export { p } from '../ports/p.ts';",
  'src/domain/imports-a-library.ts': "export { v7 } from 'uuid';",
  'src/ports/imports-nest.ts': "import type { Logger } from '@nestjs/common';\nexport type P = Logger;",
  'src/ports/imports-a-slice.ts': "export { t } from '../tracking/t.ts';",
  'src/scheduling/imports-a-slice.ts': "export { t } from '../tracking/t.ts';",
  'src/http/imports-a-slice.ts': "export { t } from '../tracking/t.ts';",
  'src/adoption/imports-a-slice.ts': "export { t } from '../tracking/t.ts';",
  'src/provider-connection/imports-an-adapter.ts': "export { r } from '../adapters/rabbitmq/r.ts';",
  'src/provider-connection/imports-nest.ts': "export { Logger } from '@nestjs/common';",
  'src/provider-connection/imports-scheduling.ts': "export { s } from '../scheduling/s.ts';",
  'src/bounded-reading/imports-a-port.ts': "export { p } from '../ports/p.ts';",
  'src/bounded-reading/imports-a-library.ts': "export { Pool } from 'undici';",
  'src/gateway/imports-a-connection.ts': "export { c } from '../provider-connection/c.ts';",
  'src/gateway/imports-a-driver.ts': "export { DataSource } from 'typeorm';",
  'src/gateway/imports-a-driver-type.ts':
    "import type { DataSource } from 'typeorm';\nexport type D = DataSource;",
  'src/gateway/imports-a-slice.ts': "export { t } from '../tracking/t.ts';",
  'src/gateway/imports-a-slice-later.ts': "export const t = import('../tracking/t.ts');",
  'src/gateway/imports-a-slice-sideways.ts': "export { t } from './../tracking/t.ts';",
  'src/gateway/imports-an-adapter.ts': "export { r } from '../adapters/rabbitmq/r.ts';",
  'src/gateway/imports-the-config.ts': "export { c } from '../config.ts';",
  'src/adapters/postgres/imports-an-adapter.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/adapters/webhook/imports-an-adapter.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/adapters/provider-http/imports-an-adapter.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/adapters/provider-http/imports-a-driver.ts': "export { Pool } from 'undici';",
  'src/adapters/provider-relay/imports-an-adapter.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/adapters/provider-relay/imports-a-driver.ts': "export { Pool } from 'undici';",
  'src/adapters/provider-sandbox/imports-an-adapter.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/adapters/provider-sandbox/imports-a-connection.ts':
    "export { c } from '../../provider-connection/c.ts';",
  'src/adapters/webhook/imports-a-connection.ts': "export { c } from '../../provider-connection/c.ts';",
  'src/adapters/prometheus/imports-an-adapter.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/adapters/rabbitmq/imports-a-slice.ts': "export { t } from '../../tracking/t.ts';",
  'src/adapters/rabbitmq/imports-another-library.ts': "export { request } from 'undici';",
  'src/client/imports-nest.ts': "export { Logger } from '@nestjs/common';",
  'src/client/imports-a-slice.ts': "export { t } from '../tracking/t.ts';",
  'src/demo/imports-the-house.ts': "export { c } from '../config.ts';",
  'src/tracking/circle-one.ts':
    "import { two } from './circle-two.ts';\nexport const one = (): number => two();",
  'src/tracking/circle-two.ts':
    "import { one } from './circle-one.ts';\nexport const two = (): number => one();",
};

const GROUND: Readonly<Record<string, string>> = {
  'src/domain/a.ts': 'export const a = 1;',
  'src/ports/p.ts': 'export const p = 1;',
  'src/provider-connection/c.ts': 'export const c = 1;',
  'src/bounded-reading/b.ts': 'export const b = 1;',
  'src/scheduling/s.ts': 'export const s = 1;',
  'src/tracking/t.ts': 'export const t = 1;',
  'src/adapters/rabbitmq/r.ts': 'export const r = 1;',
  'src/config/config.ts': 'export const c = 1;',
};

/** Each file with the rules it breaks. */
async function lint(folder: string): Promise<Map<string, string[]>> {
  const bin = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [bin, '--format=json'], { cwd: folder }, (_failed, text) => resolve(text));
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { filename: string; code: string }[] };
  const found = new Map<string, string[]>();
  for (const { filename, code } of diagnostics) found.set(filename, [...(found.get(filename) ?? []), code]);
  return found;
}

describe('the import rules', () => {
  let folder = '';
  let found = new Map<string, string[]>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paybell-lint-'));
    for (const [name, text] of Object.entries({ ...GROUND, ...ALLOWED, ...FORBIDDEN })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), `${text}\n`);
    }
    await copyFile(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    found = await lint(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.keys(ALLOWED))('allow %s', (name) => {
    expect(found.get(name) ?? []).toEqual([]);
  });

  it.each(Object.keys(FORBIDDEN))('forbid %s', (name) => {
    const rule = name.includes('circle') ? 'import(no-cycle)' : 'eslint(no-restricted-imports)';
    expect(found.get(name) ?? []).toContain(rule);
  });
});
