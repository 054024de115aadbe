/** Everything that one measurement needs, made for it and removed after it. */
import { Child } from './child.js';
import { Database } from './database.js';
import { Paybell } from './paybell.js';

/**
 * @typedef {{ server: import('./server.js').Server, broker: import('./broker.js').Broker | null, folder: string }} Place
 * @typedef {{ provider: Child, paybell: Paybell }} Replica
 * @typedef {Replica & { receiver: Child, database: Database, addReplica: () => Promise<Replica> }} Scene
 */

/**
 * Runs `measure` with a database, a provider, a webhook receiver and a Paybell that nobody used before. A further
 * replica gets a provider of its own, which tells apart who polls.
 * @template Result
 * @param {Place} place
 * @param {Record<string, string>} settings
 * @param {(scene: Scene) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export function onScene(place, settings, measure) {
  return onDatabase(place, async (database, undo) => {
    const receiver = await Child.start('./webhook-receiver.js');
    undo.push(() => receiver.stop());
    const addReplica = async () => {
      const provider = await Child.start('./stub-provider.js');
      undo.push(() => provider.stop());
      const paybell = await Paybell.start(place.folder, {
        DATABASE_URL: database.url,
        PROVIDER_BASE_URL: provider.url,
        ...place.broker?.environment,
        ...settings,
      });
      undo.push(() => paybell.stop());
      return { provider, paybell };
    };
    const first = await addReplica();
    await first.paybell.addEndpoint(receiver.url);
    return measure({ ...first, receiver, database, addReplica });
  });
}

/**
 * Runs `measure` with a database alone; what it adds to `undo` is run before the database goes.
 * @template Result
 * @param {Place} place
 * @param {(database: Database, undo: (() => Promise<unknown>)[]) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export async function onDatabase({ server, broker }, measure) {
  /** @type {(() => Promise<unknown>)[]} */
  const undo = [];
  try {
    const database = await Database.create(server);
    undo.push(() => database.drop());
    return await measure(database, undo);
  } finally {
    for (const step of undo.reverse()) await step();
    await broker?.empty();
  }
}
