import { Logger } from '@nestjs/common';

import { Deliveries, Destination, type OwedDelivery, type Outcome, type Slots } from '../ports/deliveries.ts';
import { StoreUnavailable } from '../ports/payments.ts';
import { Batcher } from '../scheduling/batcher.ts';
import { Bell } from '../scheduling/bell.ts';
import { Loop } from '../scheduling/loop.ts';
import { settle } from './settle.ts';

/** How long an idle dispatcher waits before it asks again what is owed: another replica may have recorded it. */
const IDLE_MS = 500;
const MIN_ROUND_MS = 2;
/** What is due but held by another replica must not be asked for without a pause. */
const MIN_WAIT_MS = 20;
/** A lease outlasts the attempt by this; what a dead process left is taken over after it. */
const LEASE_SPARE_MS = 5_000;
const DRAIN_MS = 9_000;
/** More unsettled outcomes than this mean that the database is away: no further attempts then. */
const MAX_UNSETTLED = 1_000;

interface Settled {
  readonly delivery: OwedDelivery;
  readonly outcome: Outcome;
}

/** Delivers what is owed to one kind of destination, lane by lane. The destination knows how, this knows when. */
export class Dispatcher {
  private readonly log: Logger;
  private readonly loop: Loop;
  private readonly batcher: Batcher<Settled>;
  private readonly inFlight = new Map<string, number>();
  private readonly attempts = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly destination: Destination,
    private readonly deliveries: Deliveries,
    private readonly bell: Bell,
    private readonly now: () => Date,
  ) {
    const name = `${destination.kind} dispatcher`;
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

  /** Takes no more work, lets attempts in flight end, and commits their outcomes. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(), DRAIN_MS);
    await this.loop.stop();
    await Promise.allSettled(this.attempts);
    clearTimeout(timer);
    await this.batcher.drain(DRAIN_MS);
  }

  private async round(): Promise<number> {
    if (this.batcher.size > MAX_UNSETTLED) return IDLE_MS;
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

  /** Each target gets its own share, so that one with a backlog or a hanging server leaves room for the others. */
  private slots(targets: readonly string[]): Slots[] {
    const { total, perTarget } = this.destination.limits;
    let left = total - this.attempts.size;
    const slots: Slots[] = [];
    for (const destinationId of turned(targets)) {
      const free = Math.min(perTarget - (this.inFlight.get(destinationId) ?? 0), left);
      if (free <= 0) continue;
      slots.push({ destinationId, free });
      left -= free;
    }
    return slots;
  }

  private begin(delivery: OwedDelivery): void {
    const { destinationId } = delivery;
    this.inFlight.set(destinationId, (this.inFlight.get(destinationId) ?? 0) + 1);
    const attempt = this.attempt(delivery).finally(() => {
      this.attempts.delete(attempt);
      const left = (this.inFlight.get(destinationId) ?? 1) - 1;
      if (left > 0) this.inFlight.set(destinationId, left);
      else this.inFlight.delete(destinationId);
    });
    this.attempts.add(attempt);
  }

  private async attempt(delivery: OwedDelivery): Promise<void> {
    try {
      const outcome = await this.destination.deliver(delivery, this.stopping.signal);
      await this.batcher.add({ delivery, outcome });
    } catch (error) {
      // The lease runs out and the delivery is tried again: at least once, never lost.
      this.log.error(`the outcome of delivery ${delivery.id} was not stored: ${(error as Error).message}`);
    }
  }

  private async commit(outcomes: readonly Settled[]): Promise<void> {
    const now = this.now();
    const settlements = outcomes.map(({ delivery, outcome }) =>
      settle(delivery, outcome, this.destination, now),
    );
    await this.deliveries.settle(settlements);
    for (const { delivery, outcome, retryInMs } of settlements) {
      if (outcome.kind !== 'failed') continue;
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
