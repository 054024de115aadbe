/** What a process that has nothing to deliver asks of the database. */
import { randomBytes } from 'node:crypto';

import { Child } from './child.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';
import { onDatabase } from './scene.js';

const MOST_QUERIES = 5;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 30_000;

/** @param {import('./scene.js').Place} place */
export function measureIdle(place) {
  return onDatabase(place, async (database, cleanup) => {
    const receiver = await Child.start('./webhook-receiver.js');
    cleanup.push(() => receiver.stop());
    const settings = {
      DATABASE_URL: database.url,
      PROVIDER: 'sandbox',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ...place.broker?.environment,
    };
    const api = await Paybell.start(place.folder, { ...settings, ROLES: 'api' });
    try {
      await api.addEndpoint(receiver.url);
    } finally {
      await api.stop();
    }
    const paybell = await Paybell.start(place.folder, { ...settings, ROLES: 'dispatcher' });
    cleanup.push(() => paybell.stop());
    await pause(WARM_UP_MS);
    const before = { ...(await database.counters()), cpuMs: paybell.cpuMs(), at: performance.now() };
    await pause(MEASURED_MS);
    const after = { ...(await database.counters()), cpuMs: paybell.cpuMs(), at: performance.now() };
    const seconds = (after.at - before.at) / 1_000;
    const whom = place.broker === null ? 'webhooks (no RabbitMQ here)' : 'webhooks and RabbitMQ';
    return [
      {
        // The bench's own question before the measurement is counted after it.
        figure: `idle dispatchers of ${whom}: database queries a second`,
        value: (after.commits - before.commits - 1) / seconds,
        most: MOST_QUERIES,
      },
      { figure: '… Paybell', value: (after.cpuMs - before.cpuMs) / seconds / 10, unit: '% of a core' },
    ];
  });
}
