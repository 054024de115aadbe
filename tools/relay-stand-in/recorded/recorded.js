// @ts-check
/** Relay's real answers, as the fact sheet quotes them. */
import { readFileSync } from 'node:fs';

/** This file may be in tools/ or, as a copy, in build/tools/; only tools/ has the answers. */
const HERE = import.meta.url.replace('/build/tools/', '/tools/');

/** The JSON of one recorded answer, by the name of its file. */
export function recorded(/** @type {string} */ name) {
  const file = new URL(`./${name}.json`, HERE);
  return /** @type {unknown} */ (JSON.parse(readFileSync(file, 'utf8')));
}
