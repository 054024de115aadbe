/**
 * Writes the digest of each image behind its tag, in a release's copy of the tree: `node tools/release/pin-digests.js FOLDER
 * [NAME@sha256:…]`, where NAME@… is the release's own image. A tag can be moved; a digest names the bytes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const [folder = '', own] = process.argv.slice(2);
if (folder === '') throw new Error('pin-digests.js needs the folder of the tree');

/** Each file with an image, and the text before and after the image's reference. @type {[string, RegExp][]} */
const PLACES = [
  ['Dockerfile', /^(FROM )(\S+)()/gm],
  ['docker-compose.yml', /^( +image: )(\S+:\S+)()$/gm],
  ['deploy/kubernetes/examples/cloudnative-pg.yaml', /^( +imageName: )(\S+)()$/gm],
  ['deploy/kubernetes/examples/rabbitmq-cluster.yaml', /^( +image: )(\S+)()$/gm],
];

for (const [name, place] of PLACES) {
  edit(name, (text) =>
    text.replaceAll(place, (_all, before, image) => `${before}${withDigest(image, argumentsOf(text))}`),
  );
}
if (own !== undefined) {
  const [image, digest = ''] = own.split('@');
  if (!DIGEST.test(digest)) throw new Error(`${own} is not NAME@sha256:…`);
  edit('deploy/kubernetes/base/kustomization.yaml', (text) =>
    text.replace(/^ {4}newName: .*\n {4}newTag: .*$/m, `    newName: ${image}\n    digest: ${digest}`),
  );
}

/** @param {string} name @param {(text: string) => string} change */
function edit(name, change) {
  const file = join(folder, name);
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`${name} names no image`);
  writeFileSync(file, changed);
}

/** The ARGs of a Dockerfile, which its FROM may use. @param {string} text */
function argumentsOf(text) {
  return Object.fromEntries(
    [...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** @param {string} image @param {Record<string, string | undefined>} values */
function withDigest(image, values) {
  const tag = image.replaceAll(/\$\{(\w+)\}/g, (_all, name) => values[name] ?? '');
  const format = ['--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', ['buildx', 'imagetools', 'inspect', ...format, tag], {
    encoding: 'utf8',
  }).trim();
  if (!DIGEST.test(digest)) throw new Error(`${tag} has no digest, but "${digest}"`);
  return `${tag}@${digest}`;
}
