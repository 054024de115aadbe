import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Contract tests that are quick and state rules of the domain. */
const CONTRACT_TESTS = ['rules-in-sql'];

interface Project {
  readonly displayName: string;
  readonly transform: Readonly<Record<string, readonly [string, object]>>;
}

/** The configuration of the project `contract`, with Jest's parts for mutants in it. */
export async function jestConfig(root: string): Promise<object> {
  const url = pathToFileURL(join(root, 'jest.config.js')).href;
  const { projects } = ((await import(url)) as { default: { projects: readonly Project[] } }).default;
  const contract = projects.find(({ displayName }) => displayName === 'contract');
  const part = (name: string): string => join(root, 'build/test/support/mutation', `${name}.js`);
  const transform = Object.entries(contract?.transform ?? {}).map(([files, [, options]]) => [
    files,
    [part('transform'), options],
  ]);
  return {
    ...contract,
    roots: ['<rootDir>/test', '<rootDir>/src'],
    testMatch: [
      '<rootDir>/test/unit/**/*.test.ts',
      ...CONTRACT_TESTS.map((name) => `<rootDir>/test/contract/${name}.test.ts`),
    ],
    transform: Object.fromEntries(transform) as object,
    testEnvironment: part('environment'),
    runner: part('runner'),
    reporters: [],
    testTimeout: 10_000,
  };
}
