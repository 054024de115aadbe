import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { DeliveryWatch } from '../../src/features/delivery/delivery-watch.ts';
import { settleOutcome } from '../../src/features/delivery/settle-outcome.ts';
import { Dispatcher } from '../../src/features/delivery/dispatcher.ts';
import { ConcurrencyLimiter } from '../../src/features/delivery/concurrency-limiter.ts';
import { DueProbe } from '../../src/features/delivery/due-targets.ts';
import {
  Deliveries,
  Destination,
  type Outcome,
  type Failed,
  type NextDue,
  type Probe,
  type DueDelivery,
  type Settled,
  type Settlement,
  type Slots,
  type Target,
  type TargetChange,
} from '../../src/ports/deliveries.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { DispatchSignal } from '../../src/platform/scheduling/delivery-signals.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const DELIVERED: Outcome = { kind: 'delivered', httpStatus: 200 };
const FAILED: Failed = { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null };

function due(id: string, destinationId: string): DueDelivery {
  return {
    id,
    token: '1',
    destinationId,
    quoteId: `q-${id}`,
    provider: 'http',
    orderId: null,
    eventId: id,
    type: 'payment.created',
    sequence: 1,
    time: new Date(0),
    body: '{}',
    attempts: 0,
    retries: 0,
    isUnscheduled: false,
    resumeInMs: null,
    traceparent: null,
  };
}

class FakeDeliveries extends Deliveries {
  readonly waiting: DueDelivery[] = [];
  readonly settled: Settlement[] = [];
  faults = 0;
  /** Outcomes are committed once this promise has resolved. */
  isOpen: Promise<unknown> = Promise.resolve();
  /** Answers the commit of these outcomes. */
  answer = (_settlements: readonly Settlement[]): Partial<Settled> => ({});
  claim(slots: readonly Slots[]): Promise<DueDelivery[]> {
    const claimed = slots.flatMap(({ destinationId, free }) =>
      this.waiting.filter((each) => each.destinationId === destinationId).slice(0, free),
    );
    for (const each of claimed) this.waiting.splice(this.waiting.indexOf(each), 1);
    return Promise.resolve(claimed);
  }
  async settle(settlements: readonly Settlement[]): Promise<Settled> {
    await this.isOpen;
    this.faults -= 1;
    if (this.faults >= 0) throw new StoreUnavailable();
    this.settled.push(...settlements);
    return { changes: [], dueTargets: [], ...this.answer(settlements) };
  }
  dueWithin(): Promise<readonly NextDue[]> {
    return Promise.resolve([]);
  }
  takeProbes(): Promise<readonly Probe[]> {
    return Promise.resolve([]);
  }
  bringForward(): Promise<void> {
    return Promise.resolve();
  }
}

class FakeDestination extends Destination {
  readonly kind = 'webhook';
  readonly limits = { total: 6, perTarget: 3, timeoutMs: 1_000 };
  readonly lanePatienceMs = 60_000;
  readonly started: DueDelivery[] = [];
  readonly hanging = new Set<string>();
  readonly failing = new Set<string>();
  readonly applied: TargetChange[] = [];
  private readonly ends: (() => void)[] = [];
  ids: string[] = ['a', 'b'];
  scheduleMs = 1_000;
  outcome: Outcome = DELIVERED;
  targets(): Promise<readonly Target[]> {
    return Promise.resolve(this.ids.map((id) => ({ id, circuit: 'closed', recoveredForMs: null })));
  }
  override applyChanges(changes: readonly TargetChange[]): void {
    this.applied.push(...changes);
  }
  async deliver(delivery: DueDelivery): Promise<Outcome> {
    this.started.push(delivery);
    if (this.hanging.has(delivery.destinationId))
      await new Promise<void>((resolve) => this.ends.push(resolve));
    return this.failing.has(delivery.destinationId) ? FAILED : this.outcome;
  }
  release(): void {
    this.hanging.clear();
    for (const end of this.ends) end();
  }
  retryInMs(attempts: number): number | null {
    return attempts >= 3 ? null : this.scheduleMs * attempts;
  }
}

interface Bench {
  readonly deliveries: FakeDeliveries;
  readonly destination: FakeDestination;
  readonly meter: FakeMeter;
  readonly dispatcher: Dispatcher;
}

/** The dispatchers of the current test: a failed test must leave none running, or the process does not end. */
const running: Dispatcher[] = [];

function bench(): Bench {
  const deliveries = new FakeDeliveries();
  const destination = new FakeDestination();
  const meter = new FakeMeter();
  const watch = new DeliveryWatch(destination, meter, new FakeClock(90_000));
  const dispatcher = new Dispatcher(
    destination,
    deliveries,
    new DispatchSignal(),
    watch,
    new DueProbe(deliveries),
  );
  running.push(dispatcher);
  return { deliveries, destination, meter, dispatcher };
}

describe('a dispatcher', () => {
  afterEach(() => Promise.all(running.splice(0).map((each) => each.stop())));

  it('gives a hanging target its own share only, and goes on with the others', async () => {
    const { deliveries, destination, dispatcher } = bench();
    destination.hanging.add('a');
    for (let index = 0; index < 20; index += 1)
      deliveries.waiting.push(due(`a${index}`, 'a'), due(`b${index}`, 'b'));
    dispatcher.start();
    await waitFor(() => deliveries.settled.length === 20);
    expect(destination.started.filter((each) => each.destinationId === 'a')).toHaveLength(3);
    expect(deliveries.settled.every(({ delivery }) => delivery.destinationId === 'b')).toBe(true);
    destination.release();
    await waitFor(() => deliveries.settled.length === 40);
  });

  it('tries a target that fails no further than its share until the failures are counted', async () => {
    const { deliveries, destination, dispatcher } = bench();
    destination.failing.add('a');
    let open = (): void => undefined;
    deliveries.isOpen = new Promise<void>((resolve) => (open = resolve));
    for (let index = 0; index < 20; index += 1)
      deliveries.waiting.push(due(`a${index}`, 'a'), due(`b${index}`, 'b'));
    dispatcher.start();
    const startedAt = (target: string): number =>
      destination.started.filter((each) => each.destinationId === target).length;
    await waitFor(() => startedAt('b') > 6);
    expect(startedAt('a')).toBe(3);
    open();
    await waitFor(() => deliveries.settled.length === 40);
  });

  it('begins what waits at a target as soon as an attempt there has ended, without a claim', async () => {
    const { deliveries, dispatcher } = bench();
    for (let n = 0; n < 9; n += 1) dispatcher.takeLeased(due(`a${n}`, 'a'), performance.now());
    await waitFor(() => deliveries.settled.length === 9);
  });

  it('takes new deliveries that it has offered to send, and claims before them what waits', async () => {
    const { deliveries, destination, dispatcher } = bench();
    expect(dispatcher.offers()).toEqual([]);
    dispatcher.start();
    await waitFor(() => dispatcher.offers().length === 2);
    const leaseMs = destination.limits.timeoutMs + 5_000;
    expect(dispatcher.offers()).toContainEqual({ destinationId: 'a', free: 3, leaseMs });
    dispatcher.takeLeased(due('a1', 'a'), performance.now());
    await waitFor(() => deliveries.settled.length === 1);
    destination.hanging.add('a');
    for (let index = 0; index < 3; index += 1)
      dispatcher.takeLeased(due(`a-${index}`, 'a'), performance.now());
    dispatcher.noteDue(['a', 'b']);
    expect(dispatcher.offers()).toEqual([]);
    destination.release();
    // An offer needs only one of the three attempts to have ended.
    await waitFor(() => deliveries.settled.length === 4);
    await waitFor(() => dispatcher.offers().length === 2);
    expect(deliveries.settled.map(({ delivery }) => delivery.id).toSorted()).toEqual([
      'a-0',
      'a-1',
      'a-2',
      'a1',
    ]);
  });

  it('returns new deliveries whose transaction took too long, and those that come while it stops', async () => {
    const { deliveries, destination, dispatcher } = bench();
    dispatcher.start();
    await waitFor(() => dispatcher.offers().length === 2);
    dispatcher.takeLeased(due('late', 'a'), performance.now() - 1_500);
    await waitFor(() => deliveries.settled.length === 1);
    const stopped = dispatcher.stop();
    dispatcher.takeLeased(due('stopping', 'a'), performance.now());
    expect(dispatcher.offers()).toEqual([]);
    await stopped;
    await waitFor(() => deliveries.settled.length === 2);
    expect(deliveries.settled.map(({ delivery, outcome }) => [delivery.id, outcome.kind])).toEqual([
      ['late', 'held'],
      ['stopping', 'held'],
    ]);
    expect(destination.started).toEqual([]);
  });

  it.each<[what: string, outcome: Outcome, dueTargets: string[]]>([
    ['a retry', FAILED, []],
    ['what it had to hold', { kind: 'held', retryInMs: 50 }, []],
    ['the next event of the payment', DELIVERED, ['a']],
  ])('notes when %s is due, and claims it then', async (_what, outcome, dueTargets) => {
    const { deliveries, destination, dispatcher } = bench();
    Object.assign(destination, { outcome, scheduleMs: 50 });
    deliveries.answer = () => {
      if (deliveries.settled.length > 1) return {};
      deliveries.waiting.push(due('2', 'a'));
      return { dueTargets };
    };
    deliveries.waiting.push(due('1', 'a'));
    dispatcher.start();
    await waitFor(() => deliveries.settled.length === 2);
  });

  it('applies the changes of a target that it causes, and returns what it has not begun there', async () => {
    const { deliveries, destination, dispatcher } = bench();
    const opened = [{ targetId: 'a', change: 'opened' as const }];
    destination.failing.add('a');
    deliveries.answer = ([first]) => (first?.outcome.kind === 'failed' ? { changes: opened } : {});
    for (let n = 0; n < 5; n += 1) dispatcher.takeLeased(due(`a${n}`, 'a'), performance.now());
    await waitFor(() => deliveries.settled.length === 5);
    expect(deliveries.settled.map(({ outcome }) => outcome.kind).toSorted()).toEqual([
      'failed',
      'failed',
      'failed',
      'held',
      'held',
    ]);
    expect(destination.applied).toContainEqual(opened[0]);
  });

  it('claims nothing while no target can be tried', async () => {
    const { deliveries, destination, dispatcher } = bench();
    destination.ids = [];
    deliveries.waiting.push(due('1', 'a'));
    dispatcher.start();
    await dispatcher.stop();
    expect(deliveries.waiting).toHaveLength(1);
  });

  it('keeps outcomes while the database is away, and lets attempts end at a stop', async () => {
    const { deliveries, destination, dispatcher } = bench();
    deliveries.faults = 2;
    destination.hanging.add('a');
    deliveries.waiting.push(due('1', 'a'));
    dispatcher.start();
    await waitFor(() => destination.started.length === 1);
    const stopping = dispatcher.stop();
    destination.release();
    await stopping;
    expect(deliveries.settled).toHaveLength(1);
  });

  it('measures and logs each attempt, and counts what is acknowledged and what is given up', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { deliveries, destination, meter, dispatcher } = bench();
    destination.failing.add('b');
    deliveries.waiting.push(due('1', 'a'), due('2', 'b'), due('3', 'b'));
    deliveries.waiting.push({ ...due('4', 'b'), attempts: 2, retries: 2 });
    dispatcher.start();
    await waitFor(() => deliveries.settled.length === 4);
    await dispatcher.stop();
    const attempt = { destination: 'webhook', durationMs: expect.any(Number) };
    expect(meter.attempts.toSorted((a, b) => a.outcome.localeCompare(b.outcome))).toEqual([
      { ...attempt, outcome: 'delivered' },
      { ...attempt, outcome: 'status' },
      { ...attempt, outcome: 'status' },
      { ...attempt, outcome: 'status' },
    ]);
    expect(meter.delays).toEqual([{ destination: 'webhook', delayMs: 90_000 }]);
    expect(meter.givenUps).toEqual(['webhook']);
    expect(warnings.mock.calls).toHaveLength(3);
    warnings.mockRestore();
  });

  it('counts what was held as held, which is neither acknowledged nor given up', async () => {
    const { deliveries, destination, meter, dispatcher } = bench();
    destination.outcome = { kind: 'held', retryInMs: 1_000 };
    deliveries.waiting.push(due('1', 'a'));
    dispatcher.start();
    await waitFor(() => deliveries.settled.length === 1);
    await dispatcher.stop();
    expect(meter.attempts.map(({ outcome }) => outcome)).toEqual(['held']);
    expect([meter.givenUps, meter.delays]).toEqual([[], []]);
  });
});

describe('the concurrency limiter', () => {
  afterEach(() => void jest.useRealTimers());

  const timeout: Outcome = { kind: 'failed', failure: 'timeout', httpStatus: null, retryAfterMs: null };

  function begin(limiter: ConcurrencyLimiter, target: string): void {
    limiter.addLeased(due('1', target));
    if (limiter.next(target) === null) throw new Error(`${target} takes no more`);
  }

  it('leave one attempt to a target with none in flight, however many others hang', () => {
    const limiter = new ConcurrencyLimiter(10, 256);
    expect(limiter.free('a', 256)).toBe(10);
    expect(limiter.free('a', 0)).toBe(1);
    begin(limiter, 'a');
    expect(limiter.free('a', 0)).toBe(0);
    expect(limiter.free('a', 4)).toBe(4);
  });

  it('shrink to one for a target that hung, until it answers again', () => {
    const limiter = new ConcurrencyLimiter(10, 256);
    begin(limiter, 'a');
    limiter.end('a', timeout, 15_000);
    expect(limiter.free('a')).toBe(1);
    begin(limiter, 'a');
    expect(limiter.free('a')).toBe(0);
    limiter.end('a', DELIVERED, 1_000);
    expect([limiter.free('a'), limiter.inFlight]).toEqual([10, 0]);
  });

  it('learn nothing from an attempt that was held, and never that a target that refuses is slow', () => {
    const limiter = new ConcurrencyLimiter(2, 1_000);
    const held: Outcome = { kind: 'held', retryInMs: 0 };
    for (const [outcome, durationMs, free] of [
      [DELIVERED, 1, 302],
      [held, 10_000, 302],
      [FAILED, 1, 302],
      [timeout, 1, 1],
      [held, 1, 1],
    ] as const) {
      begin(limiter, 'a');
      limiter.end('a', outcome, durationMs);
      expect(limiter.free('a')).toBe(free);
    }
  });

  it('claim ahead for a target that answers fast, and begin no more than its share', () => {
    const limiter = new ConcurrencyLimiter(2, 1_000);
    begin(limiter, 'a');
    limiter.end('a', DELIVERED, 1);
    expect(limiter.free('a')).toBe(302);
    for (const id of ['2', '3', '4']) limiter.addLeased(due(id, 'a'));
    expect(['2', '3', null]).toEqual([1, 2, 3].map(() => limiter.next('a')?.id ?? null));
    limiter.end('a', DELIVERED, 1);
    expect(limiter.next('a')?.id).toBe('4');
  });

  it('claim less ahead the longer no attempt ends, and nothing for one that hangs', () => {
    jest.useFakeTimers();
    const limiter = new ConcurrencyLimiter(2, 1_000);
    begin(limiter, 'a');
    limiter.end('a', DELIVERED, 1);
    begin(limiter, 'a');
    begin(limiter, 'a');
    const ahead: number[] = [];
    for (const passMs of [0, 10, 40, 50]) {
      jest.advanceTimersByTime(passMs);
      ahead.push(limiter.free('a'));
    }
    expect(ahead).toEqual([300, 50, 10, 5]);
    jest.advanceTimersByTime(151);
    expect(limiter.free('a')).toBe(0);
    limiter.end('a', DELIVERED, 251);
    expect(limiter.free('a')).toBeGreaterThan(0);
  });

  it('claim nothing ahead for a target that is let in gradually', () => {
    const limiter = new ConcurrencyLimiter(10, 256);
    begin(limiter, 'a');
    limiter.end('a', DELIVERED, 1);
    expect(limiter.free('a', 256, 2)).toBe(2);
  });

  it('begin nothing that was claimed before all was taken back, as when the circuit opens meanwhile', () => {
    const limiter = new ConcurrencyLimiter(2, 256);
    expect(limiter.free('a')).toBe(2);
    limiter.addLeased(due('1', 'a'));
    limiter.takeBack('a');
    limiter.addLeased(due('2', 'a'));
    expect(limiter.next('a')).toBeNull();
    expect(limiter.free('a')).toBe(1);
    expect(limiter.next('a')?.id).toBe('2');
  });

  it('take back what was claimed ahead and not begun', () => {
    const limiter = new ConcurrencyLimiter(1, 256);
    begin(limiter, 'a');
    limiter.addLeased(due('2', 'a'));
    expect(limiter.takeBackStale()).toEqual([]);
    expect(limiter.takeBack('a').map(({ id }) => id)).toEqual(['2']);
    expect(limiter.takeBackAll()).toEqual([]);
  });

  it('begin no more what has waited for too long, since its lease may end before the attempt does', () => {
    jest.useFakeTimers();
    const limiter = new ConcurrencyLimiter(1, 256);
    for (const id of ['1', '2', '3']) limiter.addLeased(due(id, 'a'));
    limiter.next('a');
    jest.advanceTimersByTime(1_001);
    limiter.end('a', DELIVERED, 1_001);
    expect(limiter.next('a')).toBeNull();
    expect(limiter.takeBackStale().map(({ id }) => id)).toEqual(['2', '3']);
  });
});

describe('settling', () => {
  const settled = (
    delivery: DueDelivery,
    outcome: Outcome,
    by: Pick<Destination, 'retryInMs' | 'lanePatienceMs'>,
  ): Settlement => settleOutcome({ delivery, outcome, beganAt: 100, endedAt: 130, span: null }, by, 150);
  const destination = new FakeDestination();

  it('retries a failure on the schedule, and gives up when it is used up', () => {
    expect(settled({ ...due('1', 'a'), retries: 1 }, FAILED, destination).retryInMs).toBe(2_000);
    expect(settled({ ...due('1', 'a'), retries: 2 }, FAILED, destination).retryInMs).toBeNull();
  });

  it('holds the lane for the patience of the destination, which may be endless', () => {
    expect(settled(due('1', 'a'), FAILED, destination)).toMatchObject({
      holdsLane: true,
      lanePatienceMs: 60_000,
    });
    const endless = { retryInMs: () => 1, lanePatienceMs: null };
    expect(settled(due('1', 'a'), FAILED, endless)).toMatchObject({ holdsLane: true, lanePatienceMs: null });
  });

  it('never lets what nobody is bound for hold the lane', () => {
    const unroutable: Outcome = { ...FAILED, failure: 'unroutable' };
    const endless = { retryInMs: () => 1, lanePatienceMs: null };
    expect(settled(due('1', 'a'), unroutable, endless).holdsLane).toBe(false);
  });

  it('goes on with the schedule where it was after an attempt that came early, even before the last one', () => {
    const early = { ...due('1', 'a'), retries: 2, resumeInMs: 60_000 };
    expect(settled(early, FAILED, destination).retryInMs).toBe(59_950);
    expect(settled({ ...early, resumeInMs: 20 }, FAILED, destination).retryInMs).toBe(0);
    expect(settled({ ...early, resumeInMs: 60_000.6 }, FAILED, destination).retryInMs).toBe(59_951);
  });

  it.each<[string, Outcome]>([
    ['is done', DELIVERED],
    ['was held', { kind: 'held', retryInMs: 1_000 }],
  ])('schedules no retry of a delivery that %s, which keeps its lane', (_what, outcome) => {
    const early = { ...due('1', 'a'), resumeInMs: 60_000 };
    expect(settled(early, outcome, destination)).toMatchObject({ retryInMs: null, holdsLane: true });
  });

  it('records when the attempt began and how long it took', () => {
    expect(settled(due('1', 'a'), DELIVERED, destination)).toMatchObject({ ageMs: 50, durationMs: 30 });
  });
});
