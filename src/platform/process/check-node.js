// The first import, also run before the build. Plain JavaScript: a Node that is too old can run it and name the needed version.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const [, needed] = /(\d+(?:\.\d+)*)/.exec(engines.node);
const [major, minor] = needed.split('.').map(Number);
const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);

if (ourMajor < major || (ourMajor === major && ourMinor < (minor ?? 0))) {
  process.stderr.write(`Paybell needs Node >= ${needed}, this is ${process.versions.node}.\n`);
  process.exit(1);
}
