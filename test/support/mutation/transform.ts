import { createHash } from 'node:crypto';
import { relative } from 'node:path';

import swc from '@swc/jest';

import { mutantsOf } from '../../../tools/mutate/mutants.ts';
import { REGISTRY, session } from '../../../tools/mutate/session.ts';
import { switched } from '../../../tools/mutate/switched.ts';

interface Options {
  readonly config: { readonly rootDir: string };
  readonly transformerConfig: object;
}

/** Compiles as every run does, and puts the mutants into the sources that are mutated. */
export default {
  createTransformer(config: Parameters<typeof swc.createTransformer>[0]) {
    const compiler = swc.createTransformer(config);
    return {
      ...compiler,
      process(source: string, path: string, options: never) {
        return compiler.process?.(mutated(source, path, options), path, options);
      },
      getCacheKey(source: string, path: string, options: never) {
        const key = compiler.getCacheKey?.(source, path, options) ?? '';
        return createHash('sha1')
          .update(key)
          .update(mutated(source, path, options))
          .digest('hex');
      },
    };
  },
};

function mutated(source: string, path: string, { config }: Options): string {
  const file = relative(config.rootDir, path);
  // Nobody reads the smallest example by which a property finds a mutant.
  if (source.includes("import fc from 'fast-check'"))
    return `${source}\nfc.configureGlobal({ endOnFailure: true });\n`;
  if (!session().files.includes(file)) return source;
  return switched(source, mutantsOf(source), REGISTRY, file);
}
