import { execFile } from 'node:child_process';
import { cpSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The sources of a build of the service, without the pages, which come from the present build. */
const SOURCES = ['src', 'tools/bundle', 'package.json', 'nest-cli.json', 'tsconfig.json'];
const BUILT = ['dist', 'package.json'];
const FUNCTIONS = 'src/database/functions';
const BUILT_FUNCTIONS = 'dist/database/functions';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const [major = 0, minor = 0] = version.split('.').map(Number);
/** The minor release after this one. */
export const NEXT = `${major}.${minor + 1}.0`;

const MIGRATION = `
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RecordedBy9000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE payment ADD COLUMN recorded_by text NOT NULL DEFAULT ''");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payment DROP COLUMN recorded_by');
  }
}
`;

/**
 * Builds in `folder` a next release that keeps the rules of CONTRIBUTING.md; answers its main.js. A new column has a default,
 * and a function with another parameter, which writes that column, has a new name.
 */
export async function buildNext(folder: string): Promise<string> {
  copy(SOURCES, folder);
  const edit = editsIn(folder);
  edit('package.json', `"version": "${version}"`, `"version": "${NEXT}"`);
  writeFileSync(join(folder, 'src/database/schema/2-recorded-by.ts'), MIGRATION);
  edit(
    'src/database/schema/migrations.ts',
    'export const MIGRATIONS = [',
    `import { RecordedBy9000000000000 } from './2-recorded-by.ts';\nexport const MIGRATIONS = [RecordedBy9000000000000, `,
  );
  const renamed = `${FUNCTIONS}/record_polls_v2.sql`;
  renameSync(join(folder, FUNCTIONS, 'record_polls.sql'), join(folder, renamed));
  edit(renamed, 'FUNCTION record_polls(', 'FUNCTION record_polls_v2(the_release text, ');
  edit(renamed, 'status = i.status, late', 'status = i.status, recorded_by = the_release, late');
  edit('src/database/polling/record-polls.ts', 'FROM record_polls(', `FROM record_polls_v2('${NEXT}', `);
  await run(process.execPath, ['tools/bundle/bundle.js'], { cwd: folder });
  cpSync(join(ROOT, 'dist/dashboard'), join(folder, 'dist/dashboard'), { recursive: true });
  return join(folder, 'dist/main.js');
}

/** Makes in `folder` a next release that gives a function another parameter and keeps its name; answers its main.js. */
export function makeRefused(folder: string): string {
  const edit = copyBuilt(folder);
  edit(`${BUILT_FUNCTIONS}/record_polls.sql`, 'the_polls json,', 'the_polls json, the_release text,');
  return join(folder, 'dist/main.js');
}

/**
 * Makes in `folder` a next release that keeps a function's name and parameters, and takes another word in one of them, which
 * no start can notice; answers its main.js.
 */
export function makeCareless(folder: string): string {
  const edit = copyBuilt(folder);
  const head = 'BEGIN\n  -- Locks in the order of ids, as record_events does.\n';
  edit(
    `${BUILT_FUNCTIONS}/settle_deliveries.sql`,
    head,
    `BEGIN
  the_in_ms := array_replace(the_in_ms, NULL, 0);
  the_states := array_replace(array_replace(the_states, 'delivered', 'pending'), 'acknowledged', 'delivered');
`,
  );
  return join(folder, 'dist/main.js');
}

function copyBuilt(folder: string): Edit {
  copy(BUILT, folder);
  const edit = editsIn(folder);
  edit('package.json', `"version": "${version}"`, `"version": "${NEXT}"`);
  return edit;
}

function copy(parts: readonly string[], folder: string): void {
  for (const part of parts) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

type Edit = (file: string, from: string, to: string) => void;

/** Replaces the only occurrence of `from`. Throws where the file has changed since: this module must then be corrected. */
function editsIn(folder: string): Edit {
  return (file, from, to) => {
    const parts = readFileSync(join(folder, file), 'utf8').split(from);
    if (parts.length !== 2)
      throw new Error(`${file} has "${from}" ${parts.length - 1} times: change other-release.ts accordingly`);
    writeFileSync(join(folder, file), parts.join(to));
  };
}
