import { Dispatcher } from '../../src/features/delivery/dispatcher.ts';
import { DeliveryWatch } from '../../src/features/delivery/delivery-watch.ts';
import { DueProbe } from '../../src/features/delivery/due-targets.ts';
import { retryInMs } from '../../src/destinations/webhook/webhook-outcome.ts';
import {
  Destination,
  type DueDelivery,
  type Failed,
  type Outcome,
  type Target,
} from '../../src/ports/deliveries.ts';
import { DispatchSignal } from '../../src/platform/scheduling/delivery-signals.ts';
import { sleep } from '../../src/platform/scheduling/system-timers.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';
import { FakeDeliveries } from './fakes/deliveries.fake.ts';
import { FakeMeter } from './fakes/meter.fake.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const PATIENCE_MS = 15 * MINUTE;
/** The defaults of WEBHOOK_RETRY_SCHEDULE. */
const SCHEDULE = [5, 15, 30, 60, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 86_400];
const TIMEOUT_MS = 15 * SECOND;
const ENDPOINT = 'shop';

/** The shop's reaction to an event: it answers 200 or 500 within 20 ms, stays silent, or its machine is off. */
export type Answer = 'takes' | 'refuses' | 'silent' | 'off';

export interface Attempt {
  readonly quoteId: string;
  readonly sequence: number;
  readonly at: number;
  readonly answer: Answer;
  readonly isOpen: boolean;
}

interface Recorded {
  readonly at: number;
  toldAt: number | null;
}

/**
 * A shop's endpoint with two dispatchers, on a clock that jumps: planner, limiter and dispatcher are real, the lanes are in
 * memory.
 */
export class EndpointDay {
  readonly attempts: Attempt[] = [];
  readonly recorded = new Map<string, Recorded>();
  private readonly clock = new VirtualClock();
  private readonly deliveries = new FakeDeliveries(this.clock);
  private readonly dispatchers: readonly Dispatcher[];
  private inFlight = 0;
  /** The most concurrent attempts that began and ended while the circuit was open. */
  mostWhileOpen = 0;

  constructor(
    private readonly answer: (quoteId: string, sequence: number, at: number) => Answer,
    replicas = 2,
  ) {
    this.dispatchers = Array.from({ length: replicas }, () => this.dispatcher());
  }

  get now(): number {
    return this.clock.now;
  }

  /** Records the events of a payment, `everyMs` apart. */
  pay(quoteId: string, at: number, events = 4, everyMs = 10 * SECOND): void {
    for (let sequence = 1; sequence <= events; sequence += 1)
      this.clock.at(at + (sequence - 1) * everyMs, () => {
        this.recorded.set(`${quoteId}#${sequence}`, { at: this.now, toldAt: null });
        this.deliveries.record(quoteId, sequence, ENDPOINT);
        for (const dispatcher of this.dispatchers) dispatcher.noteDue([ENDPOINT]);
      });
  }

  async run(until: number): Promise<void> {
    for (const dispatcher of this.dispatchers) dispatcher.start();
    await this.clock.runSettled(until, () => false);
  }

  get circuit(): string {
    return this.deliveries.circuit(ENDPOINT).state;
  }

  /** The time from an event's recording until the shop acknowledged it; Infinity: it did not. */
  waitOf(quoteId: string, sequence: number): number {
    const { at, toldAt } = this.recorded.get(`${quoteId}#${sequence}`) as Recorded;
    return (toldAt ?? Infinity) - at;
  }

  firstTry(quoteId: string, sequence: number): number {
    const found = this.attempts.find((each) => each.quoteId === quoteId && each.sequence === sequence);
    return found?.at ?? Infinity;
  }

  private dispatcher(): Dispatcher {
    const signal = new DispatchSignal(this.clock);
    const shop = new SimulatedShop((delivery) => this.attempt(delivery), this.deliveries);
    const watch = new DeliveryWatch(shop, new FakeMeter(), this.clock.clock, this.clock);
    const probe = new DueProbe(this.deliveries, this.clock);
    return new Dispatcher(shop, this.deliveries, signal, watch, probe, undefined, this.clock);
  }

  private async attempt({ quoteId, sequence }: DueDelivery): Promise<Outcome> {
    const answer = this.answer(quoteId, sequence, this.now);
    const isOpen = this.circuit === 'open';
    this.attempts.push({ quoteId, sequence, at: this.now, answer, isOpen });
    this.inFlight += 1;
    if (isOpen) this.mostWhileOpen = Math.max(this.mostWhileOpen, this.inFlight);
    await sleep(this.clock, answer === 'silent' ? TIMEOUT_MS : answer === 'off' ? 1 : 20);
    this.inFlight -= 1;
    if (answer === 'takes') {
      const recorded = this.recorded.get(`${quoteId}#${sequence}`);
      if (recorded !== undefined) recorded.toldAt ??= this.now;
      return { kind: 'delivered', httpStatus: 204 };
    }
    const failure = { refuses: 'status', silent: 'timeout', off: 'refused' }[answer];
    return { kind: 'failed', failure, httpStatus: answer === 'refuses' ? 500 : null, retryAfterMs: null };
  }
}

class SimulatedShop extends Destination {
  readonly kind = 'webhook';
  readonly limits = { total: 256, perTarget: 10, timeoutMs: TIMEOUT_MS };
  readonly lanePatienceMs = PATIENCE_MS;

  constructor(
    readonly deliver: (delivery: DueDelivery) => Promise<Outcome>,
    private readonly deliveries: FakeDeliveries,
  ) {
    super();
  }

  targets(): Promise<readonly Target[]> {
    return Promise.resolve([this.deliveries.target(ENDPOINT)]);
  }

  retryInMs(retries: number, { retryAfterMs }: Failed): number | null {
    const scheduleMs = SCHEDULE.map((seconds) => seconds * SECOND);
    return retryInMs(scheduleMs, retries, retryAfterMs, () => 0.5);
  }
}
