/** One service in one scene, on its own copy of the payments, with a new provider and receiver. */
import { Child } from '../child.js';

const DATABASE = 'beside_run';

/**
 * @param {import('./services.js').Place} place @param {import('./services.js').Service} service
 * @param {import('./scenes.js').Scene} scene @param {import('./templates.js').Template} template
 */
export async function runOnce(place, service, scene, { database: source, quoteIds }) {
  const { server, broker } = place;
  /** @type {(() => Promise<unknown>)[]} */
  const cleanup = [() => server.drop(DATABASE), () => broker.empty()];
  try {
    await server.copy(source, DATABASE);
    for (const statement of service.freshen(scene.intervalMs)) await server.queryIn(DATABASE, statement);
    const provider = await Child.start('./stub-provider.js', ['mixed']);
    cleanup.push(() => provider.stop());
    const receiver = await Child.start('./webhook-endpoints.js');
    cleanup.push(() => receiver.stop());
    const { ports } = await receiver.ask({ open: 1 });
    const store = { name: DATABASE, providerUrl: provider.url };
    const running = await service.start(place, store, `http://127.0.0.1:${ports[0]}/`, scene);
    cleanup.push(() => running.kill9());
    return await scene.measure({ place, service, database: DATABASE, running, provider, receiver, quoteIds });
  } finally {
    for (const step of cleanup.reverse()) await step();
  }
}
