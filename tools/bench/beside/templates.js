/** The databases that each service has filled once, and that every run gets a copy of. */
import { randomUUID } from 'node:crypto';

import { Child } from '../child.js';

/**
 * @typedef {{ database: string, quoteIds: string[] }} Template
 */

/**
 * A template for each of these numbers of payments; a larger one contains the payments of the smaller ones.
 * @param {import('./services.js').Place} place
 * @param {import('./services.js').Service} service
 * @param {number[]} sizes
 * @returns {Promise<Map<number, Template>>}
 */
export async function fillTemplates(place, service, sizes) {
  /** @type {Map<number, Template>} */
  const templates = new Map();
  const provider = await Child.start('./stub-provider.js', ['mixed']);
  try {
    /** @type {Template | null} */
    let former = null;
    for (const size of [...new Set(sizes)].sort((a, b) => a - b)) {
      former = await fill(place, service, provider.url, size, former);
      templates.set(size, former);
    }
  } finally {
    await provider.stop();
  }
  return templates;
}

/**
 * @param {import('./services.js').Place} place @param {import('./services.js').Service} service @param {string} providerUrl
 * @param {number} size @param {Template | null} former
 */
async function fill(place, service, providerUrl, size, former) {
  const before = former?.quoteIds ?? [];
  const added = Array.from({ length: size - before.length }, () => randomUUID());
  const quoteIds = before.concat(added);
  const name = `template_${service.name.toLowerCase().replace(' ', '_')}_${size}`;
  const startedAt = performance.now();
  await service.load(place, { name, providerUrl }, { quoteIds, added, former: former?.database ?? null });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stderr.write(`  ${service.name}: ${added.length} more payments stored in ${seconds} s\n`);
  return { database: name, quoteIds };
}
