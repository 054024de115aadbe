import { readFileSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { VERSION } from '../../src/platform/version.ts';
import { shippedPackages } from '../../tools/sbom/shipped-packages.js';

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
