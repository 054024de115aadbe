import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

interface Copy {
  readonly isFromBuild: boolean;
  readonly sources: readonly string[];
}

const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ');
const { scripts, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  files: string[];
};

const copies = [...dockerfile.matchAll(/^COPY (--from=build )?(.*) \S+$/gm)].map(
  ([, from, sources = '']): Copy => ({ isFromBuild: from !== undefined, sources: sources.split(' ') }),
);

function sourcesOf(isFromBuild: boolean): string[] {
  return copies.flatMap((copy) => (copy.isFromBuild === isFromBuild ? copy.sources : []));
}

describe('the Dockerfile', () => {
  it('copies only what the checkout has and .dockerignore lets in, and .dockerignore lets in nothing else', () => {
    const [first, ...patterns] = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = [...new Set(sourcesOf(false).map((source) => source.replace('./', '')))];
    expect(copied.filter((source) => !existsSync(source))).toEqual([]);
    expect(first).toBe('*');
    expect(patterns.map((pattern) => pattern.slice(1)).toSorted()).toEqual(copied.toSorted());
  });

  it('runs scripts that package.json has', () => {
    const names = [...dockerfile.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name);
    expect(names).toContain('build:service');
    for (const name of names) expect(Object.keys(scripts)).toContain(name);
  });

  it('copies the same of dist as the package has, but the SBOM, which the workflow attaches', () => {
    const packed = files.filter((file) => file.startsWith('dist/') && file !== 'dist/sbom.cdx.json');
    const withMaps = packed.flatMap((file) =>
      file.endsWith('*') ? [file.slice(0, -1), file.replace('*', '.map')] : file,
    );
    const copied = sourcesOf(true).map((source) => source.replace('/app/', ''));
    expect(copied.toSorted()).toEqual(['node_modules', ...withMaps].toSorted());
  });

  it('starts what it has copied, as a user that has a number and can write to /data', () => {
    const lineOf = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1] ?? '';
    const command = JSON.parse(lineOf('CMD')) as string[];
    expect(sourcesOf(true)).toContain(`/app/${command.at(-1)}`);
    expect(lineOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(dockerfile).toContain(`chown ${lineOf('USER')} ${lineOf('VOLUME')}`);
  });
});
