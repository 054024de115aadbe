import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const ALLOWED: Readonly<Record<string, string>> = {
  'src/ports/allowed.ts': "export { a } from '../domain/text/a.ts';",
  'src/domain/event/allowed.ts': "export { a } from '../text/a.ts';",
  'src/features/quotes/allowed.ts':
    "export { a } from '../../domain/text/a.ts';\nexport { p } from '../../ports/p.ts';\nexport { Logger } from '@nestjs/common';",
  'src/features/quotes/allowed-adoption.ts': "export { a } from '../adoption/a.ts';",
  'src/features/quotes/allowed.module.ts': "export { c } from '../../config/config.ts';",
  'src/platform/process/allowed.ts': "export { c } from '../../config/config.ts';",
  'src/platform/http/allowed-version.ts': "export { v } from '../version.ts';",
  'src/cli/allowed-version.ts': "export { v } from '../platform/version.ts';",
  'src/providers/connection/allowed.ts':
    "export { a } from '../../domain/text/a.ts';\nexport { p } from '../../ports/p.ts';\nexport { Pool } from 'undici';",
  'src/providers/connection/allowed-reading.ts': "export { b } from '../../platform/bounded-reading/b.ts';",
  'src/destinations/webhook/allowed.ts': "export { b } from '../../platform/bounded-reading/b.ts';",
  'src/platform/outbound/allowed.ts':
    "export { b } from '../bounded-reading/b.ts';\nexport { Pool } from 'undici';\nexport { parse } from 'ipaddr.js';",
  'src/providers/connection/allowed-outbound.ts': "export { o } from '../../platform/outbound/o.ts';",
  'src/platform/bounded-reading/allowed.ts': "export { isIP } from 'node:net';",
  'src/providers/http/allowed.ts': "export { c } from '../connection/c.ts';",
  'src/providers/relay/allowed.ts':
    "export { c } from '../connection/c.ts';\nexport { base58 } from '@scure/base';",
  'src/providers/relay/quote/allowed.ts':
    "export { c } from '../../connection/c.ts';\nexport { s } from '../status/s.ts';\nexport { p } from '../../../ports/p.ts';",
  'src/providers/providers.module.ts': "export { c } from '../config/config.ts';",
  'src/destinations/another/allowed.ts':
    "export { p } from '../../ports/p.ts';\nexport { connect } from 'its-own-library';\nexport { Socket } from 'node:net';",
  'src/providers/another/allowed-settings.ts': "export { k } from '../../config/kinds.ts';",
  'src/providers/another/allowed.ts': "export { c } from '../connection/c.ts';",
  'src/destinations/rabbitmq/allowed.ts':
    "export { a } from '../../domain/text/a.ts';\nexport { connect } from 'amqplib';\nexport { setTimeout } from 'node:timers/promises';",
  'src/chains/evm/allowed.ts':
    "export { a } from '../../domain/text/a.ts';\nexport { p } from '../../ports/p.ts';\nexport { o } from '../../platform/outbound/o.ts';",
  'src/chains/allowed.ts': "export { a } from '../domain/text/a.ts';\nexport const e = import('./evm/e.ts');",
  'src/chains/chains.module.ts': "export { c } from '../config/config.ts';",
  'src/database/payments/allowed.ts':
    "export { e } from '../events/e.ts';\nexport { DataSource } from 'typeorm';",
  'src/cli/allowed.ts': "export { Command } from 'commander';\nexport { o } from './output/o.ts';",
  'src/cli/keys/allowed.ts':
    "export { c } from '../../config/config.ts';\nexport { o } from '../output/o.ts';",
  'packages/client/src/allowed.ts':
    "export { a } from './inbox.ts';\nexport { Webhook } from 'standardwebhooks';\nexport { verify } from 'node:crypto';",
  'tools/generate/allowed.ts':
    "export { a } from '../../src/domain/text/a.ts';\nexport { format } from 'prettier';",
  'tools/demo/allowed.ts':
    "export { connect } from 'amqplib';\nexport { Webhook } from 'standardwebhooks';\nexport { styleText } from 'node:util';",
  'tools/demo/allowed-kit.ts':
    "export { k } from '../testkit/k.ts';\nexport { s } from '../relay-stand-in/s.ts';",
  'tools/testkit/allowed.ts': "export { k } from './k.ts';\nexport { isIP } from 'node:net';",
  'tools/bench/allowed.js':
    "export { k } from '../../build/tools/testkit/k.js';\nexport { c } from '../../dist/config/config.js';",
  'tools/mutate/allowed.ts': "export { parseArgs } from 'node:util';",
  'tools/simulation/allowed.ts':
    "export { a } from '../../src/domain/text/a.ts';\nexport { parseArgs } from 'node:util';",
};

const FORBIDDEN: Readonly<Record<string, string>> = {
  'src/domain/event/imports-a-port.ts': "export { p } from '../../ports/p.ts';",
  'src/domain/event/imports-a-library.ts': "export { v7 } from 'uuid';",
  'src/ports/imports-nest.ts': "import type { Logger } from '@nestjs/common';\nexport type P = Logger;",
  'src/ports/imports-a-feature.ts': "export { t } from '../features/polling/t.ts';",
  'src/config/imports-domain.ts': "export { a } from '../domain/text/a.ts';",
  'src/config/imports-a-provider.ts': "export { c } from '../providers/connection/c.ts';",
  'src/platform/scheduling/imports-a-feature.ts': "export { t } from '../../features/polling/t.ts';",
  'src/platform/http/imports-a-feature.ts': "export { t } from '../../features/polling/t.ts';",
  'src/platform/http/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/platform/embedded-postgres/imports-the-database.ts': "export { e } from '../../database/events/e.ts';",
  'src/platform/metrics/imports-a-destination.ts': "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/platform/bounded-reading/imports-a-provider.ts':
    "export { c } from '../../providers/connection/c.ts';",
  'src/platform/bounded-reading/imports-a-library.ts': "export { Pool } from 'undici';",
  'src/platform/outbound/imports-a-provider.ts': "export { c } from '../../providers/connection/c.ts';",
  'src/platform/outbound/imports-nest.ts': "export { Logger } from '@nestjs/common';",
  'src/features/adoption/imports-a-feature.ts': "export { t } from '../polling/t.ts';",
  'src/features/quotes/imports-a-connection.ts': "export { c } from '../../providers/connection/c.ts';",
  'src/features/quotes/imports-a-driver.ts': "export { DataSource } from 'typeorm';",
  'src/features/quotes/imports-a-driver-type.ts':
    "import type { DataSource } from 'typeorm';\nexport type D = DataSource;",
  'src/features/quotes/imports-a-feature.ts': "export { t } from '../polling/t.ts';",
  'src/features/quotes/imports-a-feature-later.ts': "export const t = import('../polling/t.ts');",
  'src/features/quotes/imports-a-feature-sideways.ts': "export { t } from './../polling/t.ts';",
  'src/features/quotes/imports-a-destination.ts': "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/features/quotes/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/features/quotes/imports-a-feature.module.ts': "export { t } from '../polling/t.ts';",
  'src/providers/connection/imports-a-destination.ts':
    "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/providers/connection/imports-nest.ts': "export { Logger } from '@nestjs/common';",
  'src/providers/connection/imports-scheduling.ts': "export { s } from '../../platform/scheduling/s.ts';",
  'src/providers/http/imports-a-destination.ts': "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/providers/http/imports-a-driver.ts': "export { Pool } from 'undici';",
  'src/providers/http/imports-a-provider.ts': "export { s } from '../relay/status/s.ts';",
  'src/providers/relay/imports-a-destination.ts': "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/providers/relay/imports-a-driver.ts': "export { Pool } from 'undici';",
  'src/providers/relay/quote/imports-a-provider.ts': "export { h } from '../../http/h.ts';",
  'src/providers/sandbox/imports-a-destination.ts': "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/providers/sandbox/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/destinations/webhook/imports-a-destination.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/destinations/webhook/imports-a-connection.ts': "export { c } from '../../providers/connection/c.ts';",
  'src/destinations/webhook/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/destinations/rabbitmq/imports-a-feature.ts': "export { t } from '../../features/polling/t.ts';",
  'src/destinations/rabbitmq/imports-another-library.ts': "export { request } from 'undici';",
  'src/destinations/another/imports-a-destination.ts': "export { r } from '../rabbitmq/r.ts';",
  'src/destinations/another/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/destinations/another/imports-a-driver.ts': "export { Pool } from 'pg';",
  'src/providers/another/values-settings.ts': "export { c } from '../../config/config.ts';",
  'src/providers/relay/values-settings.ts': "export { c } from '../../config/config.ts';",
  'src/providers/another/imports-a-provider.ts': "export { h } from '../http/h.ts';",
  'src/providers/another/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/chains/evm/imports-a-provider.ts': "export { c } from '../../providers/connection/c.ts';",
  'src/chains/evm/imports-the-config.ts': "export { c } from '../../config/config.ts';",
  'src/chains/evm/imports-an-adapter.ts': "export { s } from '../solana/s.ts';",
  'src/chains/imports-a-feature.ts': "export { t } from '../features/polling/t.ts';",
  'src/features/quotes/imports-a-chain.ts': "export { e } from '../../chains/evm/e.ts';",
  'src/database/payments/imports-a-destination.ts': "export { r } from '../../destinations/rabbitmq/r.ts';",
  'src/main-imports-a-library.ts': "export { v7 } from 'uuid';",
  'src/cli/imports-the-config.ts': "export { c } from '../config/config.ts';",
  'src/cli/keys/imports-a-feature.ts': "export { t } from '../../features/polling/t.ts';",
  'packages/client/src/imports-a-library.ts': "export { Pool } from 'pg';",
  'packages/client/src/imports-the-domain.ts': "export { a } from '../../../src/domain/text/a.ts';",
  'packages/client/src/imports-a-domain-type.ts':
    "import type { A } from '../../../src/domain/text/a.ts';\nexport type B = A;",
  'packages/client/src/imports-the-service.ts': "export { p } from 'paybell/dist/main.js';",
  'tools/generate/imports-the-client.ts': "export { e } from '../../packages/client/src/inbox.ts';",
  'src/features/quotes/imports-the-client.ts': "export { e } from '../../../packages/client/src/inbox.ts';",
  'src/features/quotes/imports-the-client-package.ts': "export { Inbox } from 'paybell-client';",
  'src/platform/http/imports-a-tool.ts': "export { d } from '../../../tools/demo/d.ts';",
  'tools/demo/imports-the-service.ts': "export { c } from '../../src/config/config.ts';",
  'tools/demo/imports-the-built-service.ts': "export { c } from '../../dist/config/config.js';",
  'tools/demo/imports-the-domain.ts': "export { a } from '../../src/domain/text/a.ts';",
  'tools/demo/imports-the-chaos.ts': "export { s } from '../chaos/s.ts';",
  'tools/testkit/imports-the-service.ts': "export { c } from '../../src/config/config.ts';",
  'tools/mutate/imports-the-domain.ts': "export { a } from '../../src/domain/text/a.ts';",
  'tools/testkit/imports-a-library.ts': "export { v7 } from 'uuid';",
  'tools/bench/imports-a-test.js': "export { w } from '../../test/support/w.js';",
  'tools/relay-stand-in/imports-a-test.js': "export { w } from '../../test/support/w.js';",
  'tools/simulation/imports-the-database.ts': "export { d } from '../../src/database/polling/d.ts';",
  'tools/simulation/imports-another-feature.ts': "export { d } from '../../src/features/delivery/d.ts';",
  'tools/simulation/imports-a-library.ts': "export { v7 } from 'uuid';",
  'tools/simulation/imports-the-demo.ts': "export { d } from '../demo/d.ts';",
  'src/features/polling/circle-one.ts':
    "import { two } from './circle-two.ts';\nexport const one = (): number => two();",
  'src/features/polling/circle-two.ts':
    "import { one } from './circle-one.ts';\nexport const two = (): number => one();",
};

/** The files that the others import. */
const IMPORTED: Readonly<Record<string, string>> = {
  'src/domain/text/a.ts': 'export const a = 1;',
  'src/ports/p.ts': 'export const p = 1;',
  'src/config/kinds.ts': 'export const k = 1;',
  'src/providers/connection/c.ts': 'export const c = 1;',
  'src/providers/http/h.ts': 'export const h = 1;',
  'src/providers/relay/status/s.ts': 'export const s = 1;',
  'src/platform/bounded-reading/b.ts': 'export const b = 1;',
  'src/platform/outbound/o.ts': 'export const o = 1;',
  'src/platform/version.ts': 'export const v = 1;',
  'src/platform/scheduling/s.ts': 'export const s = 1;',
  'src/features/adoption/a.ts': 'export const a = 1;',
  'src/features/polling/t.ts': 'export const t = 1;',
  'src/database/events/e.ts': 'export const e = 1;',
  'src/destinations/rabbitmq/r.ts': 'export const r = 1;',
  'src/destinations/webhook/w.ts': 'export const w = 1;',
  'src/chains/evm/e.ts': 'export const e = 1;',
  'src/chains/solana/s.ts': 'export const s = 1;',
  'src/config/config.ts': 'export const c = 1;',
  'src/cli/output/o.ts': 'export const o = 1;',
  'packages/client/src/inbox.ts': 'export const a = 1;\nexport const e = 1;',
  'dist/config/config.js': 'export const c = 1;',
  'tools/demo/d.ts': 'export const d = 1;',
  'tools/testkit/k.ts': 'export const k = 1;',
  'build/tools/testkit/k.js': 'export const k = 1;',
  'test/support/w.js': 'export const w = 1;',
  'tools/relay-stand-in/s.ts': 'export const s = 1;',
  'tools/chaos/s.ts': 'export const s = 1;',
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
    for (const [name, text] of Object.entries({ ...IMPORTED, ...ALLOWED, ...FORBIDDEN })) {
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
