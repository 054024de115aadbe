/**
 * The time from a start until the service is ready, with the embedded PostgreSQL, and the memory of a process without
 * payments.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { median } from './figures.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';

const ROUNDS = 5;
const MOST_EMPTY_MS = 4_000;
const MOST_AGAIN_MS = 1_500;
const MOST_MB = 110;
/** By this time the garbage of the start is collected. */
const SETTLE_MS = 5_000;

/** @param {import('./scene.js').Place} place */
export async function measureStart({ folder: parent }) {
  const folder = mkdtempSync(join(parent, 'start-'));
  /** @type {Record<'empty' | 'again' | 'resident', number[]>} */
  const measured = { empty: [], again: [], resident: [] };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const dataDir = join(folder, String(round));
      const first = await started(folder, dataDir);
      measured.empty.push(first.readyMs);
      await first.paybell.stop();
      const second = await started(folder, dataDir);
      measured.again.push(second.readyMs);
      await pause(SETTLE_MS);
      measured.resident.push(second.paybell.residentMb());
      await second.paybell.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return [
    {
      figure: 'start to ready, all roles, the embedded database there already',
      value: median(measured.again),
      unit: 'ms',
      most: MOST_AGAIN_MS,
    },
    { figure: '… no database yet', value: median(measured.empty), unit: 'ms', most: MOST_EMPTY_MS },
    {
      figure: '… memory of a process without a payment',
      value: median(measured.resident),
      unit: 'MB',
      most: MOST_MB,
    },
  ];
}

async function started(/** @type {string} */ folder, /** @type {string} */ dataDir) {
  const since = performance.now();
  const paybell = await Paybell.start(folder, { PROVIDER: 'sandbox', DATA_DIR: dataDir });
  return { paybell, readyMs: performance.now() - since };
}
