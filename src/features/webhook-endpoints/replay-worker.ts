import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { DatabaseHealth } from '../../ports/readiness.ts';
import { Replays } from '../../ports/replays.ts';
import { DeliverySignals, ReplaySignal } from '../../platform/scheduling/wake-signal.ts';
import { Loop } from '../../platform/scheduling/loop.ts';

/** How often it is looked for what other replicas were asked for, or left. */
const POLL_EVERY_MS = 5_000;
/** After each batch: whoever records and delivers comes first. */
const PAUSE_MS = 50;
/** After a batch that only found what was acknowledged already. */
const SHORT_PAUSE_MS = 5;

/** Works off recoveries batch by batch, together with all other replicas. */
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
    this.loop = new Loop('recoveries', replaySignal, () => this.round());
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
    this.deliverySignals.webhook.wake();
    return PAUSE_MS;
  }
}
