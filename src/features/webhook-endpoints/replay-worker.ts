import { Injectable } from '@nestjs/common';

import { DatabaseHealth } from '../../ports/readiness.ts';
import { Replays } from '../../ports/replays.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { ReplaySignal } from '../../platform/scheduling/wake-signal.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';

/** How often the worker looks for replays that other replicas have started or abandoned. */
const POLL_EVERY_MS = 5_000;
/** The pause after each batch, which leaves the database to recording and delivering. */
const PAUSE_MS = 50;
/** The pause after a batch whose events were all acknowledged already. */
const SHORT_PAUSE_MS = 5;

/** Runs replays batch by batch, together with all other replicas. */
@Injectable()
export class ReplayWorker extends ServiceLoop {
  constructor(
    private readonly replays: Replays,
    private readonly deliverySignals: DeliverySignals,
    database: DatabaseHealth,
    replaySignal: ReplaySignal,
  ) {
    super('replays', database, replaySignal);
  }

  protected async round(): Promise<number> {
    const replayed = await this.replays.runBatch();
    if (replayed === null) return POLL_EVERY_MS;
    if (replayed === 0) return SHORT_PAUSE_MS;
    this.deliverySignals.of('webhook').wake();
    return PAUSE_MS;
  }
}
