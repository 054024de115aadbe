/** Puts the table and the picture of a whole comparison into the docs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

const PAGE = fileURLToPath(new URL('../../../docs/inside/benchmarks.md', import.meta.url));
const PICTURE = fileURLToPath(new URL('../../../docs/images/beside.svg', import.meta.url));
const IMAGE =
  '![Polls a second, changes a second, processor time and memory of the three](../images/beside.svg)';
const BETWEEN = /(<!-- beside: begin[^>]*-->\n)[^]*(<!-- beside: end -->)/;

export async function writeDocs(/** @type {string} */ table, /** @type {string} */ picture) {
  const page = readFileSync(PAGE, 'utf8');
  if (!BETWEEN.test(page)) throw new Error(`${PAGE} has no markers for the table`);
  const written = page.replace(BETWEEN, (_, begin, end) => `${begin}\n${table}\n\n${IMAGE}\n\n${end}`);
  const options = { ...(await resolveConfig(PAGE)), filepath: PAGE };
  writeFileSync(PAGE, await format(written, options));
  writeFileSync(PICTURE, picture);
}
