import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { DeliverySignals, ReplaySignal } from '../../src/platform/scheduling/wake-signal.ts';
import { ReplayWorker } from '../../src/features/webhook-endpoints/replay-worker.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeReplays } from '../support/fakes/replays.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const working: ReplayWorker[] = [];

function begin(batches: (number | Error)[]): {
  replays: FakeReplays;
  owed: DeliverySignals;
  wakeSignal: ReplaySignal;
} {
  const [replays, owed, wakeSignal] = [new FakeReplays(), new DeliverySignals(), new ReplaySignal()];
  replays.batches.push(...batches);
  const work = new ReplayWorker(replays, owed, new FakeDatabaseHealth(), wakeSignal);
  working.push(work);
  work.onApplicationBootstrap();
  return { replays, owed, wakeSignal };
}

async function stopAll(): Promise<void> {
  for (const work of working.splice(0)) {
    work.onModuleDestroy();
    await work.beforeApplicationShutdown();
  }
}

describe('ReplayWorker', () => {
  afterEach(async () => {
    await stopAll();
    jest.restoreAllMocks();
  });

  it('goes on with what was left as soon as the database is ready, batch by batch', async () => {
    const { replays } = begin([500, 0, 0, 200]);
    await waitFor(() => replays.worked === 5);
  });

  it('rings for the webhooks that it made due, and not for others', async () => {
    const { owed } = begin([500]);
    const wake = jest.spyOn(owed.of('rabbitmq'), 'wake');
    await owed.of('webhook').wait(60_000, AbortSignal.timeout(10_000));
    expect(wake).not.toHaveBeenCalled();
  });

  it('rests once nothing is left, until it is rung', async () => {
    const { replays, wakeSignal } = begin([]);
    await waitFor(() => replays.worked === 1);
    replays.batches.push(1);
    wakeSignal.wake();
    await waitFor(() => replays.worked === 3);
    expect(replays.batches).toEqual([]);
  });

  it('tries again after a failure, and begins nothing after a stop', async () => {
    jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { replays, wakeSignal } = begin([new Error('the database is away'), 500]);
    await waitFor(() => replays.worked === 3);
    expect(warn).toHaveBeenCalledTimes(1);
    await stopAll();
    wakeSignal.wake();
    await new Promise(setImmediate);
    expect(replays.worked).toBe(3);
  });
});
