import {
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import type { DueNow } from '../../../ports/due-now.ts';
import type { ProviderRateLimit } from '../../../ports/provider-rate-limit.ts';
import type { DatabaseHealth } from '../../../ports/readiness.ts';
import type { Schedule } from '../../../ports/schedule.ts';
import { WakeSignal } from '../../../platform/scheduling/wake-signal.ts';
import { Loop } from '../../../platform/scheduling/loop.ts';
import { RecentKeys } from '../notices/recent-keys.ts';
import type { RelayHint } from '../notices/relay-hint.ts';
import type { RelayStore } from '../relay-store.ts';
import type { ChangedRequests } from './changed-requests.ts';
import type { ReconcileTurn, ReconcileTurns } from './reconcile-turns.ts';

export interface ReconcileOptions {
  /** One request never takes longer than this. */
  readonly timeoutMs: number;
}

export const SWEEP_MS = 4_000;
/** With no payment open there is nothing to be told but whether Relay takes our key. */
const IDLE_MS = 60_000;
const FIRST_SWEEP_MS = 600_000;
/** Relay's time stamps for queries are whole seconds, and it may list a change a little late. */
const OVERLAP_MS = 10_000;
/** What changed by a clock that is ahead by more is told, but no time to go on from: it would hide what comes before. */
const AHEAD_UP_TO_MS = 600_000;
const MAX_PAGES = 20;
const REFUSED_PAUSE_MS = 600_000;
const LEASE_SPARE_MS = 5_000;
/** While the circuit is open, a payment that is due by then probes; without one, the sweep does. */
const PROBED_WITHIN_MS = 60_000;

interface Swept {
  readonly to: Date | null;
  readonly nextInMs: number;
}

/** Asks Relay every few seconds which of our requests have changed, one replica at a time, and has them looked at. */
export class RelayReconciler implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger('Relay');
  private readonly loop: Loop;
  private readonly recent = new RecentKeys();
  private stopped: Promise<void> | null = null;
  private isPaused = false;
  private isFirst = true;

  constructor(
    private readonly turns: ReconcileTurns,
    private readonly reader: ChangedRequests,
    private readonly store: Pick<RelayStore, 'quoteIdsOf'>,
    private readonly rateLimit: ProviderRateLimit,
    private readonly schedule: Schedule,
    private readonly dueNow: DueNow,
    private readonly database: DatabaseHealth,
    private readonly options: ReconcileOptions,
    wakeSignal: WakeSignal = new WakeSignal(),
  ) {
    this.loop = new Loop('the sweep', wakeSignal, (signal) => this.round(signal));
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

  private async round(signal: AbortSignal): Promise<number> {
    const dueInMs = await this.schedule.nextDueInMs();
    const { rateLimit } = await this.rateLimit.state();
    const isOpen = rateLimit.circuit !== 'closed';
    if (isOpen && dueInMs !== null && dueInMs < PROBED_WITHIN_MS) return SWEEP_MS;
    const isIdle = dueInMs === null && !isOpen && !this.reader.isInDoubt && !this.isFirst;
    const turn = await this.turns.claim(this.leaseMs, isIdle ? IDLE_MS - SWEEP_MS : 0);
    if (turn === null) return SWEEP_MS;
    this.isFirst = false;
    const swept = await this.sweep(turn, signal);
    if (swept !== null) await this.turns.finish(swept.to, swept.nextInMs);
    return SWEEP_MS;
  }

  /** Null: the turn was taken over meanwhile. */
  private async sweep(turn: ReconcileTurn, signal: AbortSignal): Promise<Swept | null> {
    const since = new Date(
      turn.reconciledTo === null
        ? turn.now.getTime() - FIRST_SWEEP_MS
        : turn.reconciledTo.getTime() - OVERLAP_MS,
    );
    let to: Date | null = null;
    let continuation: string | null = null;
    for (let pages = 0; pages < MAX_PAGES && !signal.aborted; pages += 1) {
      if (pages > 0 && !(await this.turns.hold(this.leaseMs))) return null;
      const page = await this.reader.read(since, continuation);
      if (page.kind === 'later') return { to, nextInMs: Math.max(page.waitMs, SWEEP_MS) };
      if (page.kind === 'refused') return { to, nextInMs: pages === 0 ? this.pause(page.reason) : SWEEP_MS };
      this.goesOn();
      await this.notify(page.hints);
      to = latestOf(page.hints, turn, to);
      ({ continuation } = page);
      if (continuation === null) break;
    }
    return { to, nextInMs: SWEEP_MS };
  }

  private async notify(hints: readonly RelayHint[]): Promise<void> {
    const news = hints.filter((hint) => !this.recent.has(keyOf(hint)));
    if (news.length === 0) return;
    const quoteIds = await this.store.quoteIdsOf({
      requestIds: news.flatMap((hint) => hint.requestIds),
      addresses: news.flatMap((hint) => hint.addresses),
    });
    this.dueNow.makeDue(quoteIds);
    for (const hint of news) this.recent.add(keyOf(hint));
  }

  /** That Relay takes such a request is inferred from its documents: polling does not depend on it. */
  private pause(reason: string): number {
    if (!this.isPaused)
      this.log.warn(`Relay refuses to list what has changed (${reason}): payments are polled without it`);
    this.isPaused = true;
    return REFUSED_PAUSE_MS;
  }

  private goesOn(): void {
    if (this.isPaused) this.log.log('Relay lists again what has changed');
    this.isPaused = false;
  }

  private get leaseMs(): number {
    return this.options.timeoutMs + LEASE_SPARE_MS;
  }
}

function keyOf(hint: RelayHint): string {
  return hint.key ?? [...hint.requestIds, ...hint.addresses].join();
}

function latestOf(hints: readonly RelayHint[], { now }: ReconcileTurn, before: Date | null): Date | null {
  const latestMs = now.getTime() + AHEAD_UP_TO_MS;
  const times = hints.flatMap(({ updatedAt }) => updatedAt?.getTime() ?? []).filter((ms) => ms <= latestMs);
  const newest = Math.max(before?.getTime() ?? Number.NEGATIVE_INFINITY, ...times);
  return Number.isFinite(newest) ? new Date(newest) : null;
}
