import { setTimeout as sleep } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import { Deliveries, Destination, type OwedDelivery, type Outcome, type Slots } from '../ports/deliveries.ts';
import { StoreUnavailable } from '../ports/payments.ts';
import { Batcher } from '../scheduling/batcher.ts';
import { Bell } from '../scheduling/bell.ts';
import { Loop } from '../scheduling/loop.ts';
import { settle } from './settle.ts';
import { Shares } from './shares.ts';

/** How long an idle dispatcher waits before it asks again what is owed: another replica may have recorded it. */
const IDLE_MS = 500;
const MIN_ROUND_MS = 2;
/** What is due but held by another replica must not be asked for without a pause. */
const MIN_WAIT_MS = 20;
/** A lease outlasts the attempt by this; what a dead process left is taken over after it. */
const LEASE_SPARE_MS = 5_000;
const STOP_MS = 7_500;
/** What is kept of it for committing the last outcomes. */
const SETTLE_SPARE_MS = 1_000;
/** An outcome that waits longer to be committed means that the database is behind, or away: nothing is claimed then. */
const BEHIND_MS = 300;
const BEHIND_PAUSE_MS = 20;

interface Settled {
  readonly delivery: OwedDelivery;
  readonly outcome: Outcome;
}

/** Delivers what is owed to one kind of destination, lane by lane. The destination knows how, this knows when. */
export class Dispatcher {
  private readonly log: Logger;
  private readonly loop: Loop;
  private readonly batcher: Batcher<Settled>;
  private readonly shares: Shares;
  private readonly attempts = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly destination: Destination,
    private readonly deliveries: Deliveries,
    private readonly bell: Bell,
  ) {
    const name = `${destination.kind} dispatcher`;
    this.shares = new Shares(destination.limits.perTarget);
    this.log = new Logger(name);
    this.loop = new Loop(name, bell, () => this.round());
    this.batcher = new Batcher<Settled>(
      name,
      (outcomes) => this.commit(outcomes),
      (error) => error instanceof StoreUnavailable,
    );
  }

  start(): void {
    this.loop.start();
  }

  /** Takes no more work, lets attempts in flight end, and commits their outcomes, all within one deadline. */
  async stop(): Promise<void> {
    const giveUpAt = performance.now() + STOP_MS;
    const timer = setTimeout(() => this.stopping.abort(), STOP_MS - SETTLE_SPARE_MS);
    const isOver = sleep(STOP_MS - SETTLE_SPARE_MS, undefined, { ref: false });
    await Promise.race([this.loop.stop(), isOver]);
    await Promise.race([this.allAttempted(), isOver]);
    clearTimeout(timer);
    await this.batcher.drain(Math.max(giveUpAt - performance.now(), 0));
  }

  private async round(): Promise<number> {
    // A new claim would overtake the outcomes that wait to be committed: delivered again, and not even counted.
    if (this.batcher.waitedMs > BEHIND_MS) return BEHIND_PAUSE_MS;
    const targets = await this.destination.targets();
    const slots = this.slots(targets);
    if (slots.length === 0) return IDLE_MS;
    const leaseMs = this.destination.limits.timeoutMs + LEASE_SPARE_MS;
    const owed = await this.deliveries.claim(slots, leaseMs);
    for (const delivery of owed) this.begin(delivery);
    if (owed.length > 0) return MIN_ROUND_MS;
    const nextInMs = await this.deliveries.nextDueInMs(slots.map((slot) => slot.destinationId));
    return Math.max(Math.min(nextInMs ?? IDLE_MS, IDLE_MS), MIN_WAIT_MS);
  }

  private slots(targets: readonly string[]): Slots[] {
    let left = this.destination.limits.total - this.attempts.size;
    const slots: Slots[] = [];
    for (const destinationId of turned(targets)) {
      const free = this.shares.free(destinationId, left);
      if (free <= 0) continue;
      slots.push({ destinationId, free });
      left -= free;
    }
    return slots;
  }

  private begin(delivery: OwedDelivery): void {
    this.shares.begin(delivery.destinationId);
    const attempt = this.attempt(delivery).finally(() => this.attempts.delete(attempt));
    this.attempts.add(attempt);
  }

  private async attempt(delivery: OwedDelivery): Promise<void> {
    try {
      const outcome = await this.destination.deliver(delivery, this.stopping.signal);
      this.shares.end(delivery.destinationId, outcome);
      await this.batcher.add({ delivery, outcome });
    } catch (error) {
      // The lease runs out and the delivery is tried again: at least once, never lost.
      this.log.error(`the outcome of delivery ${delivery.id} was not stored: ${(error as Error).message}`);
    }
  }

  /** Also those whose outcome waits to be committed, which a drain must not wait for twice. */
  private async allAttempted(): Promise<void> {
    while (this.shares.inFlight > 0) await Promise.race(this.attempts);
  }

  private async commit(outcomes: readonly Settled[]): Promise<void> {
    const settlements = outcomes.map(({ delivery, outcome }) => settle(delivery, outcome, this.destination));
    await this.deliveries.settle(settlements);
    for (const { delivery, outcome, retryInMs } of settlements) {
      // What nobody is bound for is no trouble of the broker's, and told by the destination at a bounded pace.
      if (outcome.kind !== 'failed' || outcome.failure === 'unroutable') continue;
      const what = `${delivery.type} #${delivery.sequence} of ${delivery.quoteId} to ${delivery.destinationId}`;
      const then = retryInMs === null ? 'given up' : `again in ${Math.round(retryInMs / 1000)} s`;
      const status = outcome.httpStatus === null ? '' : ` ${outcome.httpStatus}`;
      this.log.warn(
        `${what} failed (${outcome.failure}${status}), attempt ${delivery.attempts + 1}, ${then}`,
      );
    }
    this.bell.ring();
  }
}

/** Begins at another place each time: no target is always served last. */
function turned(targets: readonly string[]): readonly string[] {
  const start = Math.floor(Math.random() * targets.length);
  return [...targets.slice(start), ...targets.slice(0, start)];
}
