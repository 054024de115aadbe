/** Writes `dist/sbom.cdx.json`: the packages of others in a release, as CycloneDX, which npm makes from package-lock.json. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { shippedPackages } from './shipped-packages.js';

const FILE = fileURLToPath(new URL('../../dist/sbom.cdx.json', import.meta.url));
/** @type {{ name: string }} */
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const FORMAT = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

/** @typedef {{ 'bom-ref': string, name: string, version: string }} Component */

/** @type {{ components: Component[], dependencies: { ref: string, dependsOn?: string[] }[], metadata: { component: Component } }} */
const all = JSON.parse(
  execFileSync('npm', ['sbom', ...FORMAT], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
);
const shipped = new Set(
  [...shippedPackages()].map(([place, { version }]) => `${place.split('node_modules/').at(-1)}@${version}`),
);
const components = all.components.filter(({ 'bom-ref': ref }) => shipped.has(ref));
const refs = new Set(components.map(({ 'bom-ref': ref }) => ref));
const missing = [...shipped].filter((ref) => !refs.has(ref));
if (missing.length > 0) throw new Error(`npm sbom does not name ${missing.join(', ')}`);

// npm names the root after its folder.
const root = all.metadata.component;
const ref = `${manifest.name}@${root.version}`;
const component = { ...root, name: manifest.name, 'bom-ref': ref, purl: `pkg:npm/${ref}` };
const dependencies = all.dependencies
  .map((each) => ({ ...each, ref: each.ref === root['bom-ref'] ? ref : each.ref }))
  .filter((each) => each.ref === ref || refs.has(each.ref))
  .map((each) => ({ ref: each.ref, dependsOn: (each.dependsOn ?? []).filter((other) => refs.has(other)) }));
const sbom = { ...all, metadata: { ...all.metadata, component }, components, dependencies };
writeFileSync(FILE, `${JSON.stringify(sbom, null, 1)}\n`);
