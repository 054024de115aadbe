import { Injectable, Logger } from '@nestjs/common';

import { pausedForMs, rateOf } from '../../domain/rate-limit/rate-limit.ts';
import { take } from '../../domain/rate-limit/token-bucket.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { DeliveryFigures } from '../../ports/delivery-figures.ts';
import { EventLog } from '../../ports/event-log.ts';
import type { AskingFigures, Figures, ProviderFigures } from '../../ports/metrics.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { readShortBudget } from '../../ports/provider-rate-limit.ts';
import { Replicas, type SeenReplica, troubleSeen } from '../../ports/replicas.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { Timers } from '../../ports/timers.ts';
import { type RecentlyUnanswered, unansweredAt, UnansweredQuotes } from '../../ports/unanswered-quotes.ts';
import { answerInTime } from './answer-in-time.ts';

/** How long the figures stay fresh. A count reads every open payment, so that many scrapes share one. */
const FRESH_MS = 5_000;

/** The figures that all replicas share, read from the database at most once in five seconds. */
@Injectable()
export class OperatingFigures {
  private readonly log = new Logger('Metrics');
  private readonly shared: SharedWork<Figures | null>;
  private isWarned = false;

  constructor(
    private readonly cells: ProviderCells,
    private readonly deliveries: DeliveryFigures,
    private readonly eventLog: EventLog,
    private readonly database: DatabaseHealth,
    private readonly unanswered: UnansweredQuotes,
    private readonly replicas: Replicas,
    timers: Timers,
  ) {
    this.shared = new SharedWork({ freshMs: FRESH_MS, timesWork: 0, timers });
  }

  /** Null when the database fails or does not answer within two seconds. Never throws. */
  async read(): Promise<Figures | null> {
    const { answer } = await answerInTime(this.shared.run('figures', () => this.readNow()));
    return answer;
  }

  private async readNow(): Promise<Figures | null> {
    try {
      const [unanswered, replicas] = await Promise.all([this.unanswered.recent(), this.replicas.recent()]);
      const [providers, deliveries, logHeldMs] = await Promise.all([
        Promise.all(this.cells.all.map((cell) => figuresOf(cell, unanswered, replicas))),
        this.deliveries.now(),
        this.eventLog.heldForMs(),
      ]);
      this.isWarned = false;
      const { epoch } = this.database.wentBack;
      return { providers, deliveries, logHeldMs, epoch };
    } catch (error) {
      this.warn(error as Error);
      return null;
    }
  }

  /** Logs unexpected failures once; other components log that the database is away. */
  private warn(error: Error): void {
    if (error instanceof StoreUnavailable || this.isWarned) return;
    this.isWarned = true;
    this.log.warn(`the database's figures cannot be read for /metrics: ${error.message}`);
  }
}

async function figuresOf(
  cell: ProviderCell,
  unanswered: RecentlyUnanswered,
  replicas: readonly SeenReplica[],
): Promise<ProviderFigures> {
  const { name, isLeft } = cell.provider;
  const [schedule, asking] = await Promise.all([
    cell.schedule.figures(),
    isLeft ? null : askingOf(cell, replicas),
  ]);
  return { provider: name, schedule, unansweredQuotes: unansweredAt(unanswered, name), asking };
}

async function askingOf(
  { provider: { name, limits }, rateLimit: shared }: ProviderCell,
  replicas: readonly SeenReplica[],
): Promise<AskingFigures> {
  const state = await shared.state();
  const { rateLimit, nowMs, scale } = state;
  const short = await readShortBudget(shared, state, limits);
  const { admission } = take(rateLimit, Number.POSITIVE_INFINITY, nowMs, limits);
  const budget = { perMinute: rateOf(rateLimit, nowMs, limits) * 60, available: admission.granted };
  const isPaused = rateLimit.circuit === 'closed' && pausedForMs(rateLimit, nowMs) > 0;
  const isUnread = troubleSeen(replicas, name) !== null;
  return { budget, circuit: isPaused ? 'paused' : rateLimit.circuit, scale, short, isUnread };
}
