/** Paybell beside a raw loop without a framework and a usual service: the same work in turn, in three rounds. */
import { shown, table } from './figures.js';
import { BesidePostgres } from './beside/postgres.js';
import { pictureOf } from './beside/picture.js';
import { briefRowsOf, rowsOf } from './beside/rows.js';
import { runOnce } from './beside/run-once.js';
import { SCALE, SCENES } from './beside/scenes.js';
import { SERVICES } from './beside/services.js';
import { fillTemplates } from './beside/templates.js';
import { writeDocs } from './beside/write-docs.js';
import { surroundings } from './surroundings.js';

const WHOLE_ROUNDS = 3;
const WHOLE_SCENES = ['polls', 'changes', 'steady'];
const ROUNDS = Number(process.env['BENCH_BESIDE_ROUNDS'] ?? WHOLE_ROUNDS);
const WANTED = process.env['BENCH_BESIDE_SCENES']?.split(',') ?? WHOLE_SCENES;
/** Trials are printed only. */
const IS_WHOLE = SCALE >= 1 && ROUNDS >= WHOLE_ROUNDS && WHOLE_SCENES.every((name) => WANTED.includes(name));
export const BESIDE_WITHIN_MS = 45 * 60_000;

/** Prints the table, and writes that of a complete comparison into the docs. @param {import('./scene.js').Place} place */
export async function measureBeside({ broker, folder }) {
  if (broker === null) throw new Error('the comparison needs RabbitMQ');
  const unknown = WANTED.filter((name) => SCENES[name] === undefined);
  if (unknown.length > 0) throw new Error(`BENCH_BESIDE_SCENES has no ${unknown.join(', ')}`);
  const before = await surroundings(null, broker);
  const server = await BesidePostgres.start(folder);
  try {
    const results = await compare({ server, broker, folder });
    const where = `${before}, PostgreSQL ${await server.version()}`;
    console.log(`\n${table(rowsOf(results))}\n\n${noteOf(where)}\n`);
    const brief = `${table(briefRowsOf(results))}\n\n${noteOf(where)}`;
    if (IS_WHOLE) await writeDocs(brief, pictureOf(results));
    return [];
  } finally {
    await server.stop();
  }
}

/** @param {import('./beside/services.js').Place} place */
async function compare(place) {
  /** @type {import('./beside/rows.js').Results} */
  const results = {};
  const sizes = WANTED.map((name) => SCENES[name]?.payments ?? 0);
  const templates = new Map();
  for (const service of SERVICES) templates.set(service, await fillTemplates(place, service, sizes));
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const name of WANTED)
      for (const service of SERVICES) {
        const startedAt = performance.now();
        const scene = /** @type {import('./beside/scenes.js').Scene} */ (SCENES[name]);
        const template = templates.get(service).get(scene.payments);
        const measured = await runOnce(place, service, scene, template);
        ((results[name] ??= {})[service.name] ??= []).push(measured);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
        process.stderr.write(
          `  round ${round}: ${name}, ${service.name}, ${seconds} s: ${lineOf(measured)}\n`,
        );
      }
  return results;
}

function lineOf(/** @type {import('./beside/scenes.js').Measured} */ measured) {
  return Object.entries(measured)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

function noteOf(/** @type {string} */ where) {
  const date = new Date().toISOString().slice(0, 10);
  const rounds = `the median of ${ROUNDS} rounds`;
  return `\`npm run bench -- beside\` on ${date}: ${rounds}. ${where}.`;
}
