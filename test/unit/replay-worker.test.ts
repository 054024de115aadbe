import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { DeliverySignals } from '../../src/platform/scheduling/delivery-signals.ts';
import { ReplaySignal } from '../../src/platform/scheduling/wake-signal.ts';
import type { Replays } from '../../src/ports/replays.ts';
import { ReplayWorker } from '../../src/features/webhook-endpoints/replay-worker.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const working: ReplayWorker[] = [];

/** Runs the given batches one after the other. */
class BatchedReplays {
  worked = 0;
  constructor(readonly batches: (number | Error)[]) {}

  async runBatch(): Promise<number | null> {
    this.worked += 1;
    const batch = this.batches.shift() ?? null;
    if (batch instanceof Error) throw batch;
    return batch;
  }
}

function begin(batches: (number | Error)[]): {
  replays: BatchedReplays;
  signals: DeliverySignals;
  wakeSignal: ReplaySignal;
} {
  const [replays, signals, wakeSignal] = [
    new BatchedReplays(batches),
    new DeliverySignals(),
    new ReplaySignal(),
  ];
  const work = new ReplayWorker(replays as unknown as Replays, signals, new FakeDatabaseHealth(), wakeSignal);
  working.push(work);
  work.onApplicationBootstrap();
  return { replays, signals, wakeSignal };
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

  it('wakes the dispatcher for the webhooks that it made due, and not for others', async () => {
    const { signals } = begin([500]);
    const wake = jest.spyOn(signals.of('rabbitmq'), 'wake');
    await signals.of('webhook').wait(60_000, AbortSignal.timeout(10_000));
    expect(wake).not.toHaveBeenCalled();
  });

  it('rests once nothing is left, until it is woken', async () => {
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
