/** Everything that one measurement needs, made for it and removed after it. */
import { Child } from './child.js';
import { Database } from './database.js';
import { Paybell } from './paybell.js';

/**
 * @typedef {{ server: import('./server.js').Server, broker: import('./broker.js').Broker | null, folder: string }} Place
 * @typedef {{ provider: Child, receiver: Child, database: Database, paybell: Paybell }} Scene
 */

/**
 * Runs `measure` with a database, a provider, a webhook receiver and a Paybell that nobody used before.
 * @template Result
 * @param {Place} place
 * @param {Record<string, string>} settings
 * @param {(scene: Scene) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export async function onScene({ server, broker, folder }, settings, measure) {
  /** @type {(() => Promise<void>)[]} */
  const undo = [];
  try {
    const database = await Database.create(server);
    undo.push(() => database.drop());
    const provider = await Child.start('./stub-provider.js');
    undo.push(() => provider.stop());
    const receiver = await Child.start('./webhook-receiver.js');
    undo.push(() => receiver.stop());
    const paybell = await Paybell.start(folder, {
      DATABASE_URL: database.url,
      PROVIDER_BASE_URL: provider.url,
      ...broker?.environment,
      ...settings,
    });
    undo.push(() => paybell.stop());
    await paybell.addEndpoint(receiver.url);
    return await measure({ provider, receiver, database, paybell });
  } finally {
    for (const step of undo.reverse()) await step();
    await broker?.empty();
  }
}
