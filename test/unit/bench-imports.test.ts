import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, it } from '@jest/globals';

const BENCH = new URL('../../tools/bench/', import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** The source file of a file in `dist`, which a clone does not have before it is built. */
function sourceOf(path: string): string {
  const inDist = `${ROOT}dist/`;
  return path.startsWith(inDist) ? `${ROOT}src/${path.slice(inDist.length).replace(/\.js$/, '.ts')}` : path;
}

it.each(readdirSync(BENCH).filter((name) => name.endsWith('.js')))(
  'bench/%s imports files that exist',
  (name) => {
    const file = new URL(name, BENCH);
    const imports = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path = '']) => path);
    const missing = imports.filter((path) => !existsSync(sourceOf(fileURLToPath(new URL(path, file)))));
    expect(missing).toEqual([]);
  },
);
