import { readFileSync, writeFileSync } from 'node:fs';

import { generatedFiles, staleAmong } from './generated-files.ts';
import { openApiDocument } from './openapi-document.ts';

const ROOT = new URL('../../', import.meta.url);

const files = await generatedFiles((path) => readFileSync(new URL(path, ROOT), 'utf8'), openApiDocument());
if (process.argv.includes('--check')) {
  const stale = staleAmong(files).map((path) => `${path} is stale: run npm run generate\n`);
  process.stderr.write(stale.join(''));
  process.exitCode = stale.length === 0 ? 0 : 1;
} else for (const { path, made } of files) writeFileSync(new URL(path, ROOT), made);
