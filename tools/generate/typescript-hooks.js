import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { transformSync } from '@swc/core';

import { DescribedSources } from './described-sources.js';

/** As in jest.config.js. */
const SWC = /** @type {const} */ ({
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  swcrc: false,
});

/** @type {DescribedSources | undefined} */
let described;

/**
 * @param {string} url
 * @param {import('node:module').LoadHookContext} context
 * @param {(url: string, context: import('node:module').LoadHookContext) => Promise<import('node:module').LoadFnOutput>} next
 */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  if (DescribedSources.has(filename)) {
    described ??= new DescribedSources();
    return { format: 'module', source: described.compiled(filename), shortCircuit: true };
  }
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...SWC, filename });
  return { format: 'module', source: code, shortCircuit: true };
}
