/**
 * Compiles and bundles Paybell with its libraries: `dist/main.js`, `dist/cli/paybell.js`, and in `dist/bundle` the chunks that
 * both share or load on demand. A start reads fifty files in place of 2,700.
 */
import { cpSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'rolldown';

import { describing } from './describing.js';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const CHUNKS = join(DIST, 'bundle');
const FUNCTIONS = 'database/functions';

/** Modules find Paybell's files relative to their own place in `src`; in `dist` the files lie at the same relative places. */
const ownPlace = {
  name: 'own-place',
  transform: {
    filter: { id: { include: [`${SOURCES}**`] }, code: 'import.meta.url' },
    handler(/** @type {string} */ code, /** @type {string} */ id, /** @type {any} */ { magicString }) {
      const place = relative(CHUNKS, join(DIST, relative(SOURCES, id)));
      return { code: magicString.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
    },
  },
};

/**
 * Code that libraries load but Paybell does not use: TypeORM's other drivers, and character sets that no JSON body may have.
 */
const unused = {
  name: 'unused',
  load: {
    filter: {
      id: { include: [/typeorm\/driver\/(?!postgres|types)[\w-]+\//, /iconv-lite\/encodings\/tables\//] },
    },
    handler: () => ({ code: 'module.exports = {};', moduleType: 'js' }),
  },
};

/** Nest imports packages that may not be installed: Paybell gives it all that it needs. */
const optional = {
  name: 'optional',
  resolveId: {
    filter: { id: { include: [/^[@\w]/] } },
    handler(/** @type {string} */ id, /** @type {string | undefined} */ importer, { kind }) {
      return kind === 'dynamic-import' && importer?.includes('/node_modules/')
        ? { id, external: true }
        : null;
    },
  },
};

/**
 * A library that makes its own `require` would load a second copy of the required package. Maps of libraries would take 30 MB
 * of each process, since `--enable-source-maps` reads the map of each loaded file.
 */
const libraries = {
  name: 'libraries',
  transform: {
    filter: { id: { include: [/node_modules/] } },
    handler: (/** @type {string} */ code) => ({
      code: code.replace('const require = createRequire(import.meta.url);', ''),
      map: { mappings: '' },
    }),
  },
};

/** V8 keeps the text of each chunk in two bytes for each character if one character needs two. */
const oneByte = {
  name: 'one-byte',
  renderChunk(/** @type {string} */ code, _chunk, _options, { magicString }) {
    for (const { 0: character, index } of code.matchAll(/[\u0100-\u{10ffff}]/gu))
      magicString.overwrite(index, index + character.length, escaped(character));
    return magicString;
  },
};

function escaped(/** @type {string} */ character) {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

rmSync(DIST, { recursive: true, force: true });
await build({
  input: { main: join(SOURCES, 'main.ts'), 'cli/paybell': join(SOURCES, 'cli/paybell.ts') },
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  // Loaded as a package, the module is there before the first decorator.
  external: ['reflect-metadata'],
  plugins: [describing, ownPlace, unused, optional, libraries, oneByte],
  // The packages of these modules do not declare the flag themselves.
  treeshake: { moduleSideEffects: [{ test: /@nestjs\/(swagger|platform-express)\//, sideEffects: false }] },
  experimental: { nativeMagicString: true },
  // Otherwise the bundler warns about slow plugins by the clock, as beside a busy core.
  checks: { pluginTimings: false },
  onLog(_level, { code, message }) {
    throw new Error(`${code}: ${message}`);
  },
  output: {
    dir: DIST,
    chunkFileNames: 'bundle/[name].js',
    // A minifier would print the text anew, after the plugins.
    minify: false,
    comments: { legal: true, annotation: false, jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});
cpSync(join(SOURCES, FUNCTIONS), join(DIST, FUNCTIONS), { recursive: true });
