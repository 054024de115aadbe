import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'rolldown';

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));
/** All of npm, and none of what rolldown adds. */
const LIBRARIES = /^(?!@oxc-project\/runtime)[@\w]/;

/** @type {Promise<import('./described-sources.js').DescribedSources> | undefined} */
let describedSources;

/** Adds what Nest's compiler adds for /openapi.json. TypeScript's compiler is loaded only where such a source is imported. */
const describing = {
  name: 'describing',
  load: {
    // What `@nestjs/swagger/plugin` looks at.
    filter: { id: /[\\/]src[\\/].*\.(?:dto|entity|controller)\.ts$/ },
    async handler(/** @type {string} */ id) {
      describedSources ??= import('./described-sources.js').then(
        ({ DescribedSources }) => new DescribedSources(),
      );
      return (await describedSources).described(id);
    },
  },
};

/** Sources find their files from the place where they are. */
const ownPlace = {
  name: 'own-place',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (/** @type {string} */ code, /** @type {string} */ id) =>
      code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

/**
 * Imports a TypeScript module, as one file with all that it imports of this repository: a loader, which Node asks about each
 * of a thousand modules, takes several times as long.
 *
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
