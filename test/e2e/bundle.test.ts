import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { VERSION } from '../../src/platform/version.ts';
import { shippedPackages } from '../../tools/sbom/shipped-packages.js';

const DIST = resolve('dist');
const FILES = [
  'main.js',
  'cli/paybell.js',
  ...readdirSync(join(DIST, 'bundle')).map((name) => `bundle/${name}`),
];
const CHUNKS = FILES.filter((file) => file.endsWith('.js'));

function textOf(file: string): string {
  return readFileSync(join(DIST, file), 'utf8');
}

/** The matching packages, each once, without Node's own modules and other chunks. */
function packagesIn(pattern: RegExp): string[] {
  const names = CHUNKS.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([, name = '']) => name));
  return [...new Set(names)]
    .filter((name) => /^[@\w]/.test(name) && !name.startsWith('node:') && !isBuiltin(name))
    .toSorted();
}

describe('the bundle', () => {
  it('loads one package, so that no library is there twice', () => {
    expect(packagesIn(/^(?:import|export) (?:[^"\n]*from )?"([^"]+)"/gm)).toEqual(['reflect-metadata']);
    // The first package is an option of pg, and not installed.
    expect(packagesIn(/require\("([^"]+)"\)/g)).toEqual(['pg-native', 'reflect-metadata']);
  });

  it('leaves to Nest what Nest does without', () => {
    const optional = packagesIn(/\bimport\("([^"]+)"\)/g);
    expect(optional.filter((name) => !/^(@nestjs|@fastify|class)[/-]/.test(name))).toEqual([]);
  });

  it('is text of one byte a character', () => {
    expect(CHUNKS.filter((file) => /[\u0100-\uffff]/.test(textOf(file)))).toEqual([]);
  });

  it("has the way to Paybell's sources, and to no library's", () => {
    const maps = FILES.filter((file) => file.endsWith('.map'));
    const sources = maps.flatMap((file) => (JSON.parse(textOf(file)) as { sources: string[] }).sources);
    expect(sources).toContain('../../src/app.module.ts');
    expect(sources.filter((source) => source.includes('node_modules'))).toEqual([]);
  });
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string }[];
}
interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

it('the build leaves a CycloneDX list of exactly what a release has of others, each with its hash', () => {
  const sbom = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8')) as Sbom;
  expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.5']);
  expect(sbom.metadata.component).toMatchObject({ name: 'paybell', version: VERSION });
  const shipped = [...shippedPackages()].map(
    ([place, { version }]) => `${place.split('node_modules/').at(-1)}@${version}`,
  );
  const listed = sbom.components.map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(listed)].toSorted()).toEqual([...new Set(shipped)].toSorted());
  for (const { purl, hashes } of sbom.components) {
    expect(purl).toMatch(/^pkg:npm\//);
    expect(hashes.map(({ alg }) => alg)).toContain('SHA-512');
  }
});
