/** `npm run bench [a measurement …]`: figures of speed and memory. See docs/inside/benchmarks.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

import { measureBacklog } from './backlog.js';
import { BESIDE_WITHIN_MS, measureBeside } from './beside.js';
import { Broker } from './broker.js';
import { measureChanges } from './changes.js';
import { measureClaims } from './claims.js';
import { measureDeliveries } from './deliveries.js';
import { measureDeliveryClaims } from './delivery-claims.js';
import { shown, table } from './figures.js';
import { measureHold } from './hold.js';
import { measureLatency } from './latency.js';
import { measureMemory } from './memory.js';
import { measureMessageLatency } from './message-latency.js';
import { measureMessages } from './messages.js';
import { measureNeighbours, NEIGHBOURS_WITHIN_MS } from './neighbours.js';
import { stop } from './pause.js';
import { measurePolls } from './polls.js';
import { measureProcesses, PROCESSES_WITHIN_MS } from './processes.js';
import { measureProof, PROOF_WITHIN_MS } from './proof.js';
import { measureQuotes } from './quotes.js';
import { measureReads, READS_WITHIN_MS } from './reads.js';
import { measureRelay, RELAY_WITHIN_MS } from './relay.js';
import { measureReplicas } from './replicas.js';
import { Server } from './server.js';
import { measureStart } from './start.js';
import { surroundings } from './surroundings.js';

/** @typedef {{ figure: string, value?: number, text?: string, unit?: string, aim?: number, most?: number }} Figure */

const MEASUREMENTS = {
  polls: measurePolls,
  hold: measureHold,
  claims: measureClaims,
  replicas: measureReplicas,
  processes: measureProcesses,
  changes: measureChanges,
  latency: measureLatency,
  memory: measureMemory,
  quotes: measureQuotes,
  reads: measureReads,
  deliveries: measureDeliveries,
  backlog: measureBacklog,
  'delivery-claims': measureDeliveryClaims,
  messages: measureMessages,
  'message-latency': measureMessageLatency,
  start: measureStart,
  relay: measureRelay,
  neighbours: measureNeighbours,
  proof: measureProof,
  beside: measureBeside,
};
/** Each of these measurements takes more than ten minutes. */
const ONLY_ON_REQUEST = new Set(['proof', 'beside']);
/** The time limit of a measurement that states none. */
const END_AFTER_MS = 4 * 60_000;
const END_AFTER = new Map([
  ['processes', PROCESSES_WITHIN_MS],
  ['deliveries', 2 * END_AFTER_MS],
  ['reads', READS_WITHIN_MS],
  ['relay', RELAY_WITHIN_MS],
  ['neighbours', NEIGHBOURS_WITHIN_MS],
  ['proof', PROOF_WITHIN_MS],
  ['beside', BESIDE_WITHIN_MS],
]);

async function main(/** @type {string[]} */ wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'paybell-bench-'));
  const server = await Server.find(folder);
  const broker = await Broker.find();
  try {
    const figures = [];
    const load = loadavg()[0] ?? 0;
    for (const [name, measure] of Object.entries(MEASUREMENTS)) {
      if (wanted.length === 0 ? ONLY_ON_REQUEST.has(name) : !wanted.includes(name)) continue;
      process.stderr.write(`measuring ${name} …\n`);
      const limit = setTimeout(
        () => stop(`measuring ${name} took too long`),
        END_AFTER.get(name) ?? END_AFTER_MS,
      );
      figures.push(...(await measure({ server, broker, folder }).finally(() => clearTimeout(limit))));
    }
    // The comparison has its own table.
    if (figures.length === 0) return;
    console.log(`\n${table([['figure', 'measured', 'aim', ''], ...figures.map(rowOf)])}\n`);
    console.log(`${await surroundings(server, broker, load)}.`);
  } finally {
    await broker?.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {string[]} */
function rowOf(/** @type {Figure} */ { figure, value = Number.NaN, text, unit, aim, most }) {
  const measured = text ?? `${shown(value)}${unit === undefined ? '' : ` ${unit}`}`;
  if (aim !== undefined) return [figure, measured, `≥ ${shown(aim)}`, value >= aim ? 'reached' : 'MISSED'];
  if (most === undefined) return [figure, measured, '', ''];
  return [
    figure,
    measured,
    `≤ ${shown(most)}${unit === undefined ? '' : ` ${unit}`}`,
    value <= most ? 'reached' : 'MISSED',
  ];
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop(`stopped by ${signal}`));
await main(process.argv.slice(2));
