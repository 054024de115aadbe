import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version in package.json, which is one folder above both `src` and `dist`. */
export const VERSION: string = version;
