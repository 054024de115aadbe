import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { OwedBells, RecoveryBell } from '../../src/platform/scheduling/wake-signal.ts';
import { RecoveryWork } from '../../src/features/webhook-endpoints/replay-worker.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeRecoveries } from '../support/fakes/recoveries.fake.ts';
import { waitFor } from '../support/wait-for.ts';

const working: RecoveryWork[] = [];

function begin(batches: (number | Error)[]): {
  recoveries: FakeRecoveries;
  owed: OwedBells;
  bell: RecoveryBell;
} {
  const [recoveries, owed, bell] = [new FakeRecoveries(), new OwedBells(), new RecoveryBell()];
  recoveries.batches.push(...batches);
  const work = new RecoveryWork(recoveries, owed, new FakeDatabaseHealth(), bell);
  working.push(work);
  work.onApplicationBootstrap();
  return { recoveries, owed, bell };
}

async function stopAll(): Promise<void> {
  for (const work of working.splice(0)) {
    work.onModuleDestroy();
    await work.beforeApplicationShutdown();
  }
}

describe('RecoveryWork', () => {
  afterEach(async () => {
    await stopAll();
    jest.restoreAllMocks();
  });

  it('goes on with what was left as soon as the database is ready, batch by batch', async () => {
    const { recoveries } = begin([500, 0, 0, 200]);
    await waitFor(() => recoveries.worked === 5);
  });

  it('rings for the webhooks that it made due, and not for others', async () => {
    const { owed } = begin([500]);
    const ring = jest.spyOn(owed.rabbitmq, 'ring');
    await owed.webhook.wait(60_000, AbortSignal.timeout(10_000));
    expect(ring).not.toHaveBeenCalled();
  });

  it('rests once nothing is left, until it is rung', async () => {
    const { recoveries, bell } = begin([]);
    await waitFor(() => recoveries.worked === 1);
    recoveries.batches.push(1);
    bell.ring();
    await waitFor(() => recoveries.worked === 3);
    expect(recoveries.batches).toEqual([]);
  });

  it('tries again after a failure, and begins nothing after a stop', async () => {
    jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { recoveries, bell } = begin([new Error('the database is away'), 500]);
    await waitFor(() => recoveries.worked === 3);
    expect(warn).toHaveBeenCalledTimes(1);
    await stopAll();
    bell.ring();
    await new Promise(setImmediate);
    expect(recoveries.worked).toBe(3);
  });
});
