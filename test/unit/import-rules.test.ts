import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The allowed imports of a folder's files. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/ports': '../domain/text/a.ts',
  'src/domain/event': '../text/a.ts',
  'src/domain/chains': '../text/a.ts @scure/base',
  'src/features/quotes': '../../domain/text/a.ts ../../ports/p.ts @nestjs/common ../adoption/a.ts',
  'src/platform/process': '../../config/config.ts',
  'src/platform/http': '../version.ts',
  'src/cli': '../platform/version.ts commander ./output/o.ts',
  'src/providers/connection': `../../domain/text/a.ts ../../ports/p.ts undici ../../platform/bounded-reading/b.ts
    ../../platform/outbound/o.ts`,
  'src/destinations/webhook': '../../platform/bounded-reading/b.ts',
  'src/platform/outbound': '../bounded-reading/b.ts undici ipaddr.js',
  'src/platform/bounded-reading': 'node:net',
  'src/providers/http': '../connection/c.ts',
  'src/providers/relay': '../connection/c.ts @scure/base',
  'src/providers/relay/quote': '../../connection/c.ts ../status/s.ts ../../../ports/p.ts',
  'src/providers/another/check': '../another-provider.ts ../../shared/s.ts ../../../ports/p.ts node:crypto',
  'src/destinations/another': '../../ports/p.ts its-own-library node:net',
  'src/providers/another': '../connection/c.ts',
  'src/destinations/rabbitmq': '../../domain/text/a.ts amqplib node:timers/promises',
  'src/chains/evm': '../rpc/r.ts ../../domain/text/a.ts ../../ports/p.ts ../../platform/outbound/o.ts',
  'src/chains/tvm': '../rpc/r.ts ../evm/e.ts @scure/base',
  'src/database/payments': '../events/e.ts typeorm',
  'src/cli/keys': '../../config/config.ts ../output/o.ts',
  'packages/client/src': './inbox.ts standardwebhooks node:crypto',
  'tools/generate': '../../src/domain/text/a.ts prettier',
  'tools/demo': 'amqplib standardwebhooks node:util ../testkit/k.ts ../relay-stand-in/s.ts',
  'tools/testkit': './k.ts node:net',
  'tools/mutate': 'node:util',
  'tools/simulation': '../../src/domain/text/a.ts node:util',
  'web/src/screens/payment': '../../../../src/domain/story/s.ts ../../ui/u.ts',
};

/** Checked as text, since the file's name or the kind of import counts. */
const ALLOWED_TEXTS: Readonly<Record<string, string>> = {
  'src/features/quotes/allowed.module.ts': "export { c } from '../../config/config.ts';",
  'src/providers/providers.module.ts': "export { c } from '../config/config.ts';",
  'src/providers/another/allowed-settings.ts': "export { k } from '../../config/kinds.ts';",
  'src/chains/allowed.ts': "export { a } from '../domain/text/a.ts';\nexport const e = import('./evm/e.ts');",
  'src/chains/chains.module.ts': "export { c } from '../config/config.ts';",
  'tools/bench/allowed.js': "export { k } from '../../build/tools/testkit/k.js';",
};

const FORBIDDEN: Readonly<Record<string, string>> = {
  'src/domain/event': '../../ports/p.ts uuid @scure/base',
  'src/domain/chains': '../../ports/p.ts uuid',
  'src/ports': '../features/polling/t.ts',
  'src/config': '../domain/text/a.ts ../domain/chains/chains.ts ../providers/connection/c.ts',
  'src/platform/scheduling': '../../features/polling/t.ts',
  'src/platform/http': '../../features/polling/t.ts ../../config/config.ts ../../../tools/demo/d.ts',
  'src/platform/embedded-postgres': '../../database/events/e.ts',
  'src/platform/metrics': '../../destinations/rabbitmq/r.ts',
  'src/platform/bounded-reading': '../../providers/connection/c.ts undici',
  'src/platform/outbound': '../../providers/connection/c.ts @nestjs/common',
  'src/features/adoption': '../polling/t.ts',
  'src/features/quotes': `../../providers/connection/c.ts typeorm ../polling/t.ts ./../polling/t.ts
    ../../destinations/rabbitmq/r.ts ../../config/config.ts ../../chains/evm/e.ts
    ../../../packages/client/src/inbox.ts paybell-client`,
  'src/providers/connection': `../../destinations/rabbitmq/r.ts @nestjs/common ../../platform/scheduling/s.ts`,
  'src/providers/http': '../../destinations/rabbitmq/r.ts undici ../relay/status/s.ts',
  'src/providers/relay': '../../destinations/rabbitmq/r.ts undici',
  'src/providers/relay/quote': '../../http/h.ts',
  'src/providers/sandbox': '../../destinations/rabbitmq/r.ts ../../config/config.ts',
  'src/destinations/webhook': '../rabbitmq/r.ts ../../providers/connection/c.ts ../../config/config.ts',
  'src/destinations/rabbitmq': '../../features/polling/t.ts undici',
  'src/destinations/another': '../rabbitmq/r.ts ../../config/config.ts pg',
  'src/providers/another': '../http/h.ts ../../config/config.ts',
  'src/providers/another/check': '../../http/h.ts ../../../config/config.ts undici ../../../cli/output/o.ts',
  'src/chains/evm': '../../providers/connection/c.ts ../../config/config.ts ../solana/s.ts',
  'src/chains': '../features/polling/t.ts',
  'src/database/payments': '../../destinations/rabbitmq/r.ts',
  src: 'uuid',
  'src/cli': '../config/config.ts',
  'src/cli/keys': '../../features/polling/t.ts',
  'packages/client/src': 'pg ../../../src/domain/text/a.ts paybell/dist/main.js',
  'tools/generate': '../../packages/client/src/inbox.ts',
  'tools/demo': `../../src/config/config.ts ../../dist/config/config.js ../../src/domain/text/a.ts ../chaos/s.ts`,
  'tools/testkit': '../../src/config/config.ts uuid',
  'tools/mutate': '../../src/domain/text/a.ts',
  'tools/simulation': '../../src/database/polling/d.ts ../../src/features/delivery/d.ts uuid ../demo/d.ts',
  'web/src/screens/payment': '../../../../src/domain/payment/p.ts ../../../../src/ports/p.ts',
};

/** Checked as text, since the file's name or the kind of import counts. */
const FORBIDDEN_TEXTS: Readonly<Record<string, string>> = {
  'src/ports/imports-nest.ts': "import type { Logger } from '@nestjs/common';\nexport type P = Logger;",
  'src/features/quotes/imports-a-driver-type.ts':
    "import type { DataSource } from 'typeorm';\nexport type D = DataSource;",
  'src/features/quotes/imports-a-feature-later.ts': "export const t = import('../polling/t.ts');",
  'src/features/quotes/imports-a-feature.module.ts': "export { t } from '../polling/t.ts';",
  'src/providers/another/values-settings.ts': "export { c } from '../../config/config.ts';",
  'src/providers/relay/values-settings.ts': "export { c } from '../../config/config.ts';",
  'packages/client/src/imports-a-domain-type.ts':
    "import type { A } from '../../../src/domain/text/a.ts';\nexport type B = A;",
  'tools/bench/imports-a-test.js': "export { w } from '../../test/support/w.js';",
  'tools/relay-stand-in/imports-a-test.js': "export { w } from '../../test/support/w.js';",
  'src/features/polling/circle-one.ts':
    "import { two } from './circle-two.ts';\nexport const one = (): number => two();",
  'src/features/polling/circle-two.ts':
    "import { one } from './circle-one.ts';\nexport const two = (): number => one();",
};

const files = (name: string, imports: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(imports).flatMap(([folder, paths]) =>
      paths.split(/\s+/).map((path, index) => [`${folder}/${name}-${index}.ts`, `export * from '${path}';`]),
    ),
  );
const ALL_ALLOWED = { ...files('allowed', ALLOWED), ...ALLOWED_TEXTS };
const ALL_FORBIDDEN = { ...files('forbidden', FORBIDDEN), ...FORBIDDEN_TEXTS };

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
    for (const [name, text] of Object.entries({ ...ALL_ALLOWED, ...ALL_FORBIDDEN })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), `${text}\n`);
    }
    await copyFile(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    found = await lint(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(ALL_ALLOWED))('allow %s: %s', (name) => {
    expect(found.get(name) ?? []).toEqual([]);
  });

  it.each(Object.entries(ALL_FORBIDDEN))('forbid %s: %s', (name) => {
    const rule = name.includes('circle') ? 'import(no-cycle)' : 'eslint(no-restricted-imports)';
    expect(found.get(name) ?? []).toContain(rule);
  });
});
