// @ts-check
/** What Relay really answered, as the fact sheet quotes it. */
import { readFileSync } from 'node:fs';

/** The JSON of one recorded answer, by the name of its file. */
export function recorded(/** @type {string} */ name) {
  const file = new URL(`./${name}.json`, import.meta.url);
  return /** @type {unknown} */ (JSON.parse(readFileSync(file, 'utf8')));
}
