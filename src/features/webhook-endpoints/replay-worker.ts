import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { DatabaseHealth } from '../../ports/readiness.ts';
import { Replays } from '../../ports/replays.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { ReplaySignal } from '../../platform/scheduling/wake-signal.ts';
import { Loop } from '../../platform/scheduling/loop.ts';

/** How often the worker asks for replays that other replicas have started or abandoned. */
const POLL_EVERY_MS = 5_000;
/** The pause after each batch leaves the database to recording and delivering. */
const PAUSE_MS = 50;
/** The pause after a batch in which all events were acknowledged already. */
const SHORT_PAUSE_MS = 5;

/** Runs replays batch by batch, together with all other replicas. */
@Injectable()
export class ReplayWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly loop: Loop;
  private stopped: Promise<void> | null = null;

  constructor(
    private readonly replays: Replays,
    private readonly deliverySignals: DeliverySignals,
    private readonly database: DatabaseHealth,
    replaySignal: ReplaySignal,
  ) {
    this.loop = new Loop('replays', replaySignal, () => this.round());
  }

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.loop.start());
  }

  onModuleDestroy(): void {
    this.stopped ??= this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private async round(): Promise<number> {
    const replayed = await this.replays.runBatch();
    if (replayed === null) return POLL_EVERY_MS;
    if (replayed === 0) return SHORT_PAUSE_MS;
    this.deliverySignals.of('webhook').wake();
    return PAUSE_MS;
  }
}
