import { readFileSync, writeFileSync } from 'node:fs';

import { generatedFiles, staleAmong } from './generated-files.ts';
import { openApiDocument } from './openapi-document.ts';
import { openApiFaults } from './openapi-faults.ts';

const ROOT = new URL('../../', import.meta.url);

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/**
 * Writes the files that are made from the sources. With `--check` it names the stale files, and the faults of /openapi.json.
 */
export async function generate(): Promise<void> {
  const document = openApiDocument();
  const files = await generatedFiles(read, document);
  if (process.argv.includes('--check')) {
    const stale = staleAmong(files).map((path) => `${path} is stale: run npm run generate`);
    const faults = [...stale, ...(await openApiFaults(await document))];
    process.stderr.write(faults.map((fault) => `${fault}\n`).join(''));
    process.exitCode = faults.length === 0 ? 0 : 1;
  } else for (const { path, made } of files) writeFileSync(new URL(path, ROOT), made);
}
