import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../../../package.json', import.meta.url);

/** `Paybell/` and the version in package.json. */
export const USER_AGENT = `Paybell/${readVersion()}`;

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string };
  return manifest.version;
}
