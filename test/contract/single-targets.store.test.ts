import { beforeAll, describe, expect, it } from '@jest/globals';

import type { TestDatabase } from '../support/database.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';

describe('PostgresSingleTargets', () => {
  let db: TestDatabase;
  let one: Stores;

  beforeAll(async () => {
    ({ db, one } = await openReplicas());
  });

  it('finds the one row of a kind, and no endpoint', async () => {
    await addDestination(db, { kind: 'webhook' });
    expect(await one.singleTargets.idOf('webhook')).toBeNull();
    expect(await one.singleTargets.idOf('rabbitmq')).toBeNull();
    const id = await addDestination(db, { kind: 'rabbitmq' });
    expect(await one.singleTargets.idOf('rabbitmq')).toBe(id);
  });

  it('can find no second row: the table refuses it, whichever replica adds it', async () => {
    await addDestination(db, { kind: 'other' });
    await expect(addDestination(db, { kind: 'other' })).rejects.toThrow('destination_single');
    await addDestination(db, { kind: 'webhook' });
  });
});
