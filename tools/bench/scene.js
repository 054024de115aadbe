/** The parts of one measurement, which are made for it and removed after it. */
import { Child } from './child.js';
import { Database } from './database.js';
import { Paybell } from './paybell.js';

/**
 * @typedef {{ server: import('./server.js').Server, broker: import('./broker.js').Broker | null, folder: string }} Place
 * @typedef {{ provider: Child, paybell: Paybell }} Replica
 * @typedef {Replica & { receiver: Child, database: Database, addReplica: () => Promise<Replica> }} Scene
 */

/**
 * Runs `measure` with a new database, provider, webhook receiver and Paybell. A further replica gets its own provider, which
 * counts only its polls.
 * @template Result
 * @param {Place} place
 * @param {Record<string, string>} settings
 * @param {(scene: Scene) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export function onScene(place, settings, measure) {
  return onDatabase(place, async (database, cleanup) => {
    const receiver = await Child.start('./webhook-receiver.js');
    cleanup.push(() => receiver.stop());
    const addReplica = () =>
      startReplica(place, database, cleanup, { ...place.broker?.environment, ...settings });
    const first = await addReplica();
    await first.paybell.addEndpoint(receiver.url);
    return measure({ ...first, receiver, database, addReplica });
  });
}

/**
 * Runs `measure` with a database, a provider, a Paybell without RabbitMQ, and a receiver that opens webhook endpoints on
 * demand. Paybell does not know any of them yet.
 * @template Result
 * @param {Place} place
 * @param {Record<string, string>} settings
 * @param {(scene: Replica & { receiver: Child, database: Database }) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export function onEndpoints(place, settings, measure) {
  return onDatabase(place, async (database, cleanup) => {
    const receiver = await Child.start('./webhook-endpoints.js');
    cleanup.push(() => receiver.stop());
    return measure({ ...(await startReplica(place, database, cleanup, settings)), receiver, database });
  });
}

/**
 * Opens `count` endpoints and adds them to Paybell, in order.
 * @param {Paybell} paybell @param {Child} receiver @param {number} count @param {string[]} [eventTypes]
 */
export async function addEndpoints(paybell, receiver, count, eventTypes) {
  const { ports } = await receiver.ask({ open: count });
  for (const port of ports) await paybell.addEndpoint(`http://127.0.0.1:${port}`, eventTypes);
}

/**
 * @param {Place} place @param {Database} database @param {(() => Promise<unknown>)[]} cleanup
 * @param {Record<string, string>} settings
 */
async function startReplica(place, database, cleanup, settings) {
  const provider = await Child.start('./stub-provider.js');
  cleanup.push(() => provider.stop());
  const paybell = await Paybell.start(place.folder, {
    DATABASE_URL: database.url,
    PROVIDER_BASE_URL: provider.url,
    ...settings,
  });
  cleanup.push(() => paybell.stop());
  return { provider, paybell };
}

/**
 * Runs `measure` with a database alone; the steps that it adds to `undo` run before the database is dropped.
 * @template Result
 * @param {Place} place
 * @param {(database: Database, cleanup: (() => Promise<unknown>)[]) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export async function onDatabase({ server, broker }, measure) {
  /** @type {(() => Promise<unknown>)[]} */
  const cleanup = [];
  try {
    const database = await Database.create(server);
    cleanup.push(() => database.drop());
    return await measure(database, cleanup);
  } finally {
    for (const step of cleanup.reverse()) await step();
    await broker?.empty();
  }
}
