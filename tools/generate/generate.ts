import { readFileSync, writeFileSync } from 'node:fs';

import { generatedFiles, staleAmong } from './generated-files.ts';
import { openApiDocument } from './openapi-document.ts';

const ROOT = new URL('../../', import.meta.url);

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** Writes what is made of the sources; with `--check` it names what is stale. */
export async function generate(): Promise<void> {
  const files = await generatedFiles(read, openApiDocument());
  if (process.argv.includes('--check')) {
    const stale = staleAmong(files).map((path) => `${path} is stale: run npm run generate\n`);
    process.stderr.write(stale.join(''));
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else for (const { path, made } of files) writeFileSync(new URL(path, ROOT), made);
}
