import { Logger } from '@nestjs/common';

import type { ProviderCell } from '../../../ports/provider-cell.ts';
import type { DatabaseHealth } from '../../../ports/readiness.ts';
import { ServiceLoop } from '../../../platform/scheduling/service-loop.ts';
import type { WakeSignal } from '../../../platform/scheduling/wake-signal.ts';
import { RecentKeys } from '../notices/recent-keys.ts';
import type { RelayHint } from '../notices/relay-hint.ts';
import type { RelayStore } from '../quote/relay-store.ts';
import type { ChangedRequests } from './changed-requests.ts';
import type { ReconcileLease, ReconcileLeases } from './reconcile-leases.ts';
import { UnknownRequests } from './unknown-requests.ts';

export const RECONCILE_EVERY_MS = 4_000;
/** The interval while no payment is open; a run then only checks that Relay accepts our key. */
const IDLE_MS = 60_000;
const FIRST_LOOKBACK_MS = 600_000;
/** Relay's query times are whole seconds, and it may list a change a little late. */
const OVERLAP_MS = 10_000;
/** A change with a time further ahead is handled, but does not move `reconciledTo`: earlier changes would be skipped. */
const AHEAD_UP_TO_MS = 600_000;
const MAX_PAGES = 20;
const REFUSED_PAUSE_MS = 600_000;
const LEASE_SPARE_MS = 5_000;
/** While the circuit is open, a payment due within this time probes Relay; without such a payment, the reconciler does. */
const PROBED_WITHIN_MS = 60_000;

type ReconciledCell = Pick<ProviderCell, 'rateLimit' | 'schedule'> & {
  readonly pollRequests: Pick<ProviderCell['pollRequests'], 'makeDue'>;
};

interface ReconcileResult {
  readonly reconciledTo: Date | null;
  readonly nextInMs: number;
}

/** Asks Relay every few seconds for our changed requests, on one replica at a time, and makes their payments due. */
export class RelayReconciler extends ServiceLoop {
  private readonly log = new Logger('Relay');
  private readonly recent = new RecentKeys();
  private readonly unknown: UnknownRequests;
  private isPaused = false;
  private isFirst = true;

  constructor(
    private readonly leases: ReconcileLeases,
    private readonly changes: ChangedRequests,
    private readonly store: Pick<RelayStore, 'quoteIdsOf' | 'unknownAmong'>,
    private readonly cell: ReconciledCell,
    database: DatabaseHealth,
    /** The time limit of one request. */
    private readonly timeoutMs: number,
    wakeSignal?: WakeSignal,
  ) {
    super('the Relay reconciler', database, wakeSignal);
    this.unknown = new UnknownRequests(store);
  }

  protected async round(signal: AbortSignal): Promise<number> {
    const dueInMs = await this.cell.schedule.nextDueInMs();
    const { rateLimit } = await this.cell.rateLimit.state();
    const isOpen = rateLimit.circuit !== 'closed';
    if (isOpen && dueInMs !== null && dueInMs < PROBED_WITHIN_MS) return RECONCILE_EVERY_MS;
    const isIdle = dueInMs === null && !isOpen && !this.changes.isInDoubt && !this.isFirst;
    const lease = await this.leases.claim(this.leaseMs, isIdle ? IDLE_MS - RECONCILE_EVERY_MS : 0);
    if (lease === null) return RECONCILE_EVERY_MS;
    this.isFirst = false;
    const result = await this.reconcile(lease, signal);
    if (result !== null) await this.leases.release(result.reconciledTo, result.nextInMs);
    return RECONCILE_EVERY_MS;
  }

  /** Null when another replica has claimed the lease meanwhile. */
  private async reconcile(lease: ReconcileLease, signal: AbortSignal): Promise<ReconcileResult | null> {
    const since = new Date(
      lease.reconciledTo === null
        ? lease.now.getTime() - FIRST_LOOKBACK_MS
        : lease.reconciledTo.getTime() - OVERLAP_MS,
    );
    let reconciledTo: Date | null = null;
    let continuation: string | null = null;
    for (let pages = 0; pages < MAX_PAGES && !signal.aborted; pages += 1) {
      if (pages > 0 && !(await this.leases.renew(this.leaseMs))) return null;
      const page = await this.changes.read(since, continuation);
      if (page.kind === 'later') return { reconciledTo, nextInMs: Math.max(page.waitMs, RECONCILE_EVERY_MS) };
      if (page.kind === 'refused')
        return { reconciledTo, nextInMs: pages === 0 ? this.pause(page.reason) : RECONCILE_EVERY_MS };
      this.resume();
      await this.makeDue(page.hints);
      await this.unknown.report(page.paid);
      reconciledTo = latestOf(page.hints, lease, reconciledTo);
      ({ continuation } = page);
      if (continuation === null) break;
    }
    return { reconciledTo, nextInMs: RECONCILE_EVERY_MS };
  }

  private async makeDue(hints: readonly RelayHint[]): Promise<void> {
    const news = hints.filter((hint) => !this.recent.has(keyOf(hint)));
    if (news.length === 0) return;
    const quoteIds = await this.store.quoteIdsOf({
      requestIds: news.flatMap((hint) => hint.requestIds),
      addresses: news.flatMap((hint) => hint.addresses),
    });
    this.cell.pollRequests.makeDue(quoteIds);
    for (const hint of news) this.recent.add(keyOf(hint));
  }

  /** Relay's documents only imply that it accepts this request; polling works without it. */
  private pause(reason: string): number {
    if (!this.isPaused)
      this.log.warn(
        `Relay refuses to list changed requests (${reason}): payments are polled without the list`,
      );
    this.isPaused = true;
    return REFUSED_PAUSE_MS;
  }

  private resume(): void {
    if (this.isPaused) this.log.log('Relay lists changed requests again');
    this.isPaused = false;
  }

  private get leaseMs(): number {
    return this.timeoutMs + LEASE_SPARE_MS;
  }
}

function keyOf(hint: RelayHint): string {
  return hint.key ?? [...hint.requestIds, ...hint.addresses].join();
}

function latestOf(hints: readonly RelayHint[], { now }: ReconcileLease, before: Date | null): Date | null {
  const latestMs = now.getTime() + AHEAD_UP_TO_MS;
  const times = hints.flatMap(({ updatedAt }) => updatedAt?.getTime() ?? []).filter((ms) => ms <= latestMs);
  const newest = Math.max(before?.getTime() ?? Number.NEGATIVE_INFINITY, ...times);
  return Number.isFinite(newest) ? new Date(newest) : null;
}
