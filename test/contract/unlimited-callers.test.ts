import { beforeAll, expect, it } from '@jest/globals';

import { openReplicas } from '../support/replicas.ts';
import type { TestDatabase } from '../support/database.ts';
import type { Stores } from '../support/stores.ts';

let db: TestDatabase;
let one: Stores;
let two: Stores;

beforeAll(async () => {
  ({ db, one, two } = await openReplicas());
});

/** Which version of the shared row there is: each write makes a new one. */
async function version(): Promise<unknown> {
  return db.query('SELECT ctid::text, xmin::text FROM provider_rate_limit');
}

it('without a limit callers are served without a write, and share a circuit all the same', async () => {
  const before = await version();
  const callers = Array.from({ length: 20 }, (_, at) => `key ${at % 3}`);
  const served = await Promise.all(callers.map((caller) => one.rateLimit.takeOne(caller)));
  expect(served).toEqual(callers.map(() => ({ isProbe: false })));
  expect(await version()).toEqual(before);
  await two.rateLimit.openCircuit('open', false);
  const opened = await version();
  await expect(one.rateLimit.takeOne('key')).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(await version()).not.toEqual(before);
  await two.rateLimit.closeCircuit();
  expect(await version()).not.toEqual(opened);
});
