import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';

import { MINUTE_MS } from '../../domain/figures/time-ranges.ts';
import { FigureCounter } from '../../platform/metrics/figure-counter.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { WakeSignal } from '../../platform/scheduling/wake-signal.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { Clock } from '../../ports/clock.ts';
import { ownTroubles } from '../../ports/connection-troubles.ts';
import { MinuteFigures, type FigureBatch } from '../../ports/minute-figures.ts';
import { ConnectionHealths, DatabaseHealth } from '../../ports/readiness.ts';
import { Replicas, type ReplicaState, ThisReplica } from '../../ports/replicas.ts';

/** The time between two writes. */
const WRITE_MS = 10_000;
/** The time for a stopping process to write its last figures and to say that it stops. */
const STOP_MS = 1_500;

/**
 * Writes every ten seconds this process's state and its new counts. A batch that could not be written is tried again
 * unchanged; newer counts wait in memory and become one batch.
 */
@Injectable()
export class FigureWriter implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly log = new Logger('Figures');
  private readonly loop = new Loop('the writer of figures', new WakeSignal(), () => this.round());
  private readonly startedAt: Date;
  private minute: number;
  private batches = 0;
  /** Null: everything that was taken is written. */
  private pending: FigureBatch | null = null;
  private stopped: Promise<void> | null = null;
  private isReady = false;

  constructor(
    private readonly replica: ThisReplica,
    private readonly counter: FigureCounter,
    private readonly figures: MinuteFigures,
    private readonly replicas: Replicas,
    private readonly cells: ProviderCells,
    private readonly connections: ConnectionHealths,
    private readonly witness: ChainWitness,
    private readonly clock: Clock,
    private readonly database: DatabaseHealth,
  ) {
    this.startedAt = clock.now();
    this.minute = this.minuteNow();
  }

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => {
      this.isReady = true;
      this.loop.start();
    });
  }

  onModuleDestroy(): void {
    this.stopped ??= this.loop.stop();
  }

  /** Runs after the tracker and the dispatchers, which stop in the earlier hook: their last work is counted too. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.isReady) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the database does not answer in time')), STOP_MS);
    });
    try {
      await Promise.race([this.finish(), late]);
    } catch (error) {
      this.log.warn(`the figures of the last minute were not written: ${(error as Error).message}`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns the wait until the next round: at the latest until the end of the minute. */
  async round(): Promise<number> {
    const minute = this.minuteNow();
    // The counts since the last round, which was at the end of the former minute at the latest.
    this.pending ??= this.takeBatch(this.minute);
    this.minute = minute;
    await this.write();
    const untilNextMs = (this.minuteNow() + 1) * MINUTE_MS - this.clock.now().getTime();
    return Math.min(WRITE_MS, untilNextMs);
  }

  private async finish(): Promise<void> {
    await this.stopped;
    if (this.pending !== null) await this.write();
    this.pending = this.takeBatch(this.minuteNow());
    if (this.pending !== null) await this.write();
    await this.replicas.remove(this.replica.id);
  }

  private async write(): Promise<void> {
    const { id, roles, release, settings } = this.replica;
    const { startedAt } = this;
    const views = this.cells.all.map(({ provider, watch }) => [provider.name, watch.seen()] as const);
    const seen = {
      providers: Object.fromEntries(views),
      troubles: ownTroubles(this.connections),
      rpcs: this.witness.troubles(),
    };
    const state: ReplicaState = { id, roles, release, settings, startedAt, ...seen };
    await this.figures.write(state, this.pending);
    this.pending = null;
  }

  private takeBatch(minute: number): FigureBatch | null {
    const counted = this.counter.takeCounts();
    if (Object.keys(counted.all).length === 0) return null;
    this.batches += 1;
    return { number: this.batches, at: new Date(minute * MINUTE_MS), ...counted };
  }

  private minuteNow(): number {
    return Math.floor(this.clock.now().getTime() / MINUTE_MS);
  }
}
