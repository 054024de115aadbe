import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'rolldown';

import { describing } from '../bundle/describing.js';

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));
/** All packages of npm, without the runtime that rolldown adds. */
const LIBRARIES = /^(?!@oxc-project\/runtime)[@\w]/;

/** Sources find their files from their own place. */
const ownPlace = {
  name: 'own-place',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (/** @type {string} */ code, /** @type {string} */ id) =>
      code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

/**
 * Imports a TypeScript module as one file, with all modules of this repository that it imports: a loader, which Node asks
 * about each of a thousand modules, takes several times as long.
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function importSources(path) {
  mkdirSync(BUILD, { recursive: true });
  const dir = mkdtempSync(join(BUILD, 'sources-'));
  try {
    await build({
      input: { entry: path },
      platform: 'node',
      external: LIBRARIES,
      plugins: [describing, ownPlace],
      checks: { pluginTimings: false },
      output: { dir, entryFileNames: '[name].mjs', codeSplitting: false },
    });
    return await import(pathToFileURL(join(dir, 'entry.mjs')).href);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
