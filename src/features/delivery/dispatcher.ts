import {
  Deliveries,
  Destination,
  type DueDelivery,
  type LeaseOffer,
  type Target,
} from '../../ports/deliveries.ts';
import type { Timers } from '../../ports/timers.ts';
import { logWithin, UNTRACED, type Tracer } from '../../ports/tracer.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { Batcher, RESULTS } from '../../platform/scheduling/batcher.ts';
import type { DispatchSignal, NewDeliveryTaker } from '../../platform/scheduling/delivery-signals.ts';
import { Loop } from '../../platform/scheduling/loop.ts';
import { sleep, SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import { ClaimPlanner } from './claim-planner.ts';
import type { DeliveryWatch } from './delivery-watch.ts';
import { dueAgainInMs, RETURNED, settleOutcome, type EndedAttempt } from './settle-outcome.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { DueProbe } from './due-targets.ts';

/** The longest wait of an idle dispatcher. */
const IDLE_MS = 500;
const MIN_ROUND_MS = 2;
/** The shortest wait: deliveries claimed by another replica must not cause a busy loop. */
const MIN_WAIT_MS = 20;
/** How much longer a lease lasts than its attempt. After that, another process takes over a dead process's deliveries. */
const LEASE_SPARE_MS = 5_000;
const STOP_MS = 7_500;
/** The part of LEASE_SPARE_MS that is reserved for committing the last outcomes. */
const SETTLE_SPARE_MS = 1_000;
/** An outcome that waits longer for its commit shows that the database is slow or away: the dispatcher claims nothing. */
const BEHIND_MS = 300;
const BEHIND_PAUSE_MS = 20;

/**
 * Claims due deliveries of one kind of destination, hands them to the destination, and commits the outcomes. Also takes new
 * deliveries that were inserted already leased to it.
 */
export class Dispatcher implements NewDeliveryTaker {
  private readonly loop: Loop;
  private readonly batcher: Batcher<EndedAttempt>;
  private readonly limiter: ConcurrencyLimiter;
  private readonly planner: ClaimPlanner;
  private readonly attempts = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private isStopping = false;
  /** The targets of the last round; none before the first round, or after a target's state has changed. */
  private targets: readonly Target[] = [];

  constructor(
    private readonly destination: Destination,
    private readonly deliveries: Deliveries,
    private readonly dispatchSignal: DispatchSignal,
    private readonly watch: DeliveryWatch,
    dueProbe: DueProbe,
    private readonly tracer: Tracer = UNTRACED,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {
    const name = `${destination.kind} dispatcher`;
    this.limiter = new ConcurrencyLimiter(destination.limits.perTarget, destination.limits.total, timers);
    this.planner = new ClaimPlanner(deliveries, this.limiter, dueProbe, timers);
    this.loop = new Loop(name, dispatchSignal, () => this.round());
    this.batcher = new Batcher<EndedAttempt>((outcomes) => this.commit(outcomes), {
      ...RESULTS,
      isTransient: (error) => error instanceof StoreUnavailable,
      name,
      timers,
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Stops claiming, lets attempts in flight end, and commits their outcomes, all within one deadline. */
  async stop(): Promise<void> {
    const giveUpAt = this.timers.nowMs() + STOP_MS;
    this.isStopping = true;
    const ended = new AbortController();
    const isOver = sleep(this.timers, STOP_MS - SETTLE_SPARE_MS, ended.signal);
    void isOver.then(() => this.stopping.abort());
    await Promise.race([this.loop.stop(), isOver]);
    this.returnUntried(this.limiter.takeBackAll());
    await Promise.race([this.allAttempted(), isOver]);
    ended.abort();
    await this.batcher.drain(Math.max(giveUpAt - this.timers.nowMs(), 0));
    this.watch.close();
  }

  offers(): readonly LeaseOffer[] {
    if (this.isStopping || this.isBehind) return [];
    return this.planner.offers(this.targets).map((offer) => ({ ...offer, leaseMs: this.leaseMs }));
  }

  takeLeased(leased: DueDelivery, since: number): void {
    if (this.isStopping) return this.returnUntried([leased]);
    this.limiter.addLeased(leased, since);
    this.begin(leased.destinationId);
  }

  noteDue(targetIds: readonly string[]): void {
    for (const id of targetIds) this.planner.noteDue(id);
    this.dispatchSignal.resume();
  }

  private async round(): Promise<number> {
    if (this.dispatchSignal.takeDueAnywhere()) this.planner.noteWake();
    this.returnUntried(this.limiter.takeBackStale());
    if (this.isBehind) return BEHIND_PAUSE_MS;
    this.targets = await this.destination.targets();
    const slots = await this.planner.slots(this.targets, this.leaseMs);
    if (slots.length === 0) return waitOf(this.planner.untilDue());
    const claimed = await this.deliveries.claim(slots, this.leaseMs);
    this.planner.noteClaimed(slots, claimed);
    for (const delivery of claimed) this.limiter.addLeased(delivery);
    for (const target of new Set(claimed.map(({ destinationId }) => destinationId))) this.begin(target);
    return claimed.length > 0 ? MIN_ROUND_MS : waitOf(this.planner.untilDue());
  }

  /** A new claim would fence off the outcomes that wait for their commit: their events would be sent again, uncounted. */
  private get isBehind(): boolean {
    return this.batcher.waitedMs > BEHIND_MS;
  }

  private get leaseMs(): number {
    return this.destination.limits.timeoutMs + LEASE_SPARE_MS;
  }

  /** Starts as many queued deliveries of the target as its limit allows. */
  private begin(target: string): void {
    while (!this.isStopping) {
      const delivery = this.limiter.next(target);
      if (delivery === null) return;
      const attempt = this.attempt(delivery).finally(() => this.attempts.delete(attempt));
      this.attempts.add(attempt);
    }
  }

  private async attempt(delivery: DueDelivery): Promise<void> {
    const { destinationId } = delivery;
    const beganAt = this.timers.nowMs();
    const span = this.tracer.attempting(this.destination.kind, delivery);
    try {
      const sent = span === null ? delivery : { ...delivery, traceparent: span.traceparent };
      const outcome = await this.destination.deliver(sent, this.stopping.signal);
      const ended = { delivery, outcome, beganAt, endedAt: this.timers.nowMs(), span };
      this.watch.ended(ended);
      const stored = this.batcher.add(ended);
      // A failed attempt stays in flight until it is committed; otherwise many more would fail before the circuit opens.
      if (outcome.kind === 'failed') await stored.catch(() => undefined);
      this.limiter.end(destinationId, outcome, ended.endedAt - beganAt);
      this.begin(destinationId);
      await stored;
    } catch (error) {
      // The lease expires and the delivery is attempted again: at least once, never lost.
      logWithin(span, () => this.watch.notStored(delivery, error as Error));
    }
  }

  /** Returns deliveries without an attempt, so that any replica can claim them before the lease expires. */
  private returnUntried(untried: readonly DueDelivery[]): void {
    const now = this.timers.nowMs();
    for (const delivery of untried)
      this.batcher
        .add({ delivery, outcome: RETURNED, beganAt: now, endedAt: now, span: null })
        .catch(() => undefined);
  }

  /** Waits for the attempts in flight, but not for the commits of their outcomes: `drain` does that. */
  private async allAttempted(): Promise<void> {
    while (this.limiter.inFlight > 0) await Promise.race(this.attempts);
  }

  private async commit(outcomes: readonly EndedAttempt[]): Promise<void> {
    const settlements = outcomes.map((ended) => settleOutcome(ended, this.destination, this.timers.nowMs()));
    const { changes, dueTargets } = await this.deliveries.settle(settlements);
    this.destination.applyChanges(changes);
    if (changes.length > 0) this.targets = [];
    for (const { targetId } of changes) this.returnUntried(this.limiter.takeBack(targetId));
    for (const [index, settlement] of settlements.entries()) {
      const retryInMs = dueAgainInMs(settlement);
      if (retryInMs !== null) this.planner.noteDue(settlement.delivery.destinationId, retryInMs);
      logWithin(outcomes[index]?.span ?? null, () => this.watch.settled(settlement));
    }
    this.noteDue(dueTargets);
  }
}

function waitOf(untilDueMs: number): number {
  return Math.min(Math.max(untilDueMs, MIN_WAIT_MS), IDLE_MS);
}
