/** The environment of a measurement, for the line under its table. */
import { availableParallelism, loadavg } from 'node:os';

import { shown } from './figures.js';

/** Cores, load and versions. */
export async function surroundings(
  /** @type {import('./server.js').Server | null} */ server,
  /** @type {import('./broker.js').Broker | null} */ broker,
  load = loadavg()[0] ?? 0,
) {
  const parts = [
    `${availableParallelism()} cores for everything`,
    `load ${shown(load)} before the start`,
    `Node ${process.versions.node}`,
    ...(server === null ? [] : [`PostgreSQL ${await server.version()}`]),
    broker === null ? 'no RabbitMQ' : `RabbitMQ ${broker.version()}`,
  ];
  return parts.join(', ');
}
