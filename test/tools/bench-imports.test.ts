import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, it } from '@jest/globals';

const BENCH = new URL('../../tools/bench/', import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** The sources of the compiled files, which a clone does not have before it is built. */
const SOURCES: Record<string, string> = { 'build/tools': 'tools' };

function sourceOf(path: string): string {
  for (const [built, source] of Object.entries(SOURCES))
    if (path.startsWith(`${ROOT}${built}/`))
      return path.replace(`${ROOT}${built}/`, `${ROOT}${source}/`).replace(/\.js$/, '.ts');
  return path;
}

it('each program of tools/bench imports files that exist', () => {
  const names = readdirSync(BENCH, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  for (const name of names) {
    const file = new URL(name, BENCH);
    const imports = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path = '']) => path);
    const missing = imports.filter((path) => !existsSync(sourceOf(fileURLToPath(new URL(path, file)))));
    expect([name, missing]).toEqual([name, []]);
  }
});
