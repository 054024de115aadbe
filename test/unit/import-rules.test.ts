import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The forbidden imports of a folder's files. `npm run check:lint` shows that what the sources import is allowed. */
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
    for (const [name, text] of Object.entries(ALL_FORBIDDEN)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), `${text}\n`);
    }
    await copyFile(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    found = await lint(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(ALL_FORBIDDEN))('forbid %s: %s', (name) => {
    const rule = name.includes('circle') ? 'import(no-cycle)' : 'eslint(no-restricted-imports)';
    expect(found.get(name) ?? []).toContain(rule);
  });
});
