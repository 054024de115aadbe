import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ClaimPlanner } from '../../src/features/delivery/claim-planner.ts';
import { ConcurrencyLimiter } from '../../src/features/delivery/concurrency-limiter.ts';
import { DueProbe } from '../../src/features/delivery/due-targets.ts';
import type { Deliveries, NextDue, DueDelivery, Probe, Slots, Target } from '../../src/ports/deliveries.ts';

/** The planner's calls to the deliveries, and their results. */
class Asked {
  readonly words: string[] = [];
  due: NextDue[] = [];
  probes: Probe[] = [];
  /** Called while the due deliveries are read. */
  meanwhile = (): void => undefined;

  dueWithin(targetIds: readonly string[]): Promise<readonly NextDue[]> {
    this.words.push(`due of ${targetIds.length}`);
    this.meanwhile();
    return Promise.resolve(this.due.filter(({ targetId }) => targetIds.includes(targetId)));
  }
  takeProbes(targetIds: readonly string[]): Promise<readonly Probe[]> {
    this.words.push(`probes of ${targetIds.join(' ')}`);
    return Promise.resolve(this.probes);
  }
  bringForward(targetId: string): Promise<void> {
    this.words.push(`bring forward ${targetId}`);
    return Promise.resolve();
  }
}

let asked: Asked;
let shares: ConcurrencyLimiter;
let dueProbe: DueProbe;
let plan: ClaimPlanner;

beforeEach(() => {
  jest.useFakeTimers();
  asked = new Asked();
  shares = new ConcurrencyLimiter(10, 10_000);
  dueProbe = new DueProbe(asked as unknown as Deliveries);
  plan = planOf(shares);
});
afterEach(() => {
  jest.useRealTimers();
});

const planOf = (shares: ConcurrencyLimiter): ClaimPlanner =>
  new ClaimPlanner(asked as unknown as Deliveries, shares, dueProbe);
/** Claims everything that is due now, and moves to the beginning of the next probe. */
const drain = async (each: ClaimPlanner, targets: readonly Target[]): Promise<void> => {
  each.noteClaimed(await each.slots(targets, LEASE_MS), []);
  jest.advanceTimersByTime(each.untilDue());
  asked.words.length = 0;
};
const closed = (id: string): Target => ({ id, circuit: 'closed', recoveredForMs: null });
const many = (count: number): Target[] => Array.from({ length: count }, (_, index) => closed(`t${index}`));
const idsOf = (slots: readonly Slots[]): string[] =>
  slots.map(({ destinationId }) => destinationId).toSorted();

const LEASE_MS = 20_000;
const OPEN: Target = { id: 'b', circuit: 'open', recoveredForMs: null };

describe('the plan of claims', () => {
  it.each([2, 1_000])('asks for all of %i targets at the start and after a signal', async (count) => {
    expect(idsOf(await plan.slots(many(count), LEASE_MS))).toHaveLength(count);
    await drain(plan, many(count));
    plan.noteWake();
    expect(idsOf(await plan.slots(many(count), LEASE_MS))).toHaveLength(count);
  });

  it('goes on asking for targets that fill their slots, or a whole claim, and not for others', async () => {
    const claimed = (counts: Record<string, number>): DueDelivery[] =>
      Object.entries(counts).flatMap(([destinationId, count]) =>
        Array.from({ length: count }, () => ({ destinationId }) as DueDelivery),
      );
    plan.noteClaimed(await plan.slots(many(3), LEASE_MS), claimed({ t0: 10, t1: 9 }));
    jest.advanceTimersByTime(2);
    const again = await plan.slots(many(3), LEASE_MS);
    expect(idsOf(again)).toEqual(['t0']);
    plan.noteWake();
    plan.noteClaimed(await plan.slots(many(3), LEASE_MS), claimed({ t0: 10, t1: 40 }));
    jest.advanceTimersByTime(2);
    expect(idsOf(await plan.slots(many(3), LEASE_MS))).toEqual(['t0', 't1', 't2']);
  });

  it('offers free slots of few targets, unless due deliveries wait there or the circuit is not closed', async () => {
    const targets: Target[] = [
      closed('free'),
      closed('due'),
      { id: 'open', circuit: 'open', recoveredForMs: null },
      { id: 'recovering', circuit: 'recovering', recoveredForMs: 10 },
      { id: 'recovered', circuit: 'closed', recoveredForMs: 1_000 },
    ];
    plan.noteDue('due');
    expect(plan.offers(targets)).toEqual([
      { destinationId: 'free', free: 10 },
      { destinationId: 'recovered', free: 2 },
    ]);
    expect(plan.offers(many(32))).toHaveLength(32);
    expect(plan.offers(many(33))).toEqual([]);
    for (let load = 0; load < 10; load += 1) {
      shares.addLeased({ destinationId: 'free' } as DueDelivery);
      if (load < 4) shares.next('free');
    }
    expect(plan.offers(targets.slice(0, 1))).toEqual([]);
  });

  it('keeps the slots that a claim of due deliveries can fill, and offers the others of a fast target', () => {
    shares = new ConcurrencyLimiter(100, 600);
    plan = planOf(shares);
    plan.noteDue('t0');
    expect(plan.offers(many(1))).toEqual([{ destinationId: 't0', free: 50 }]);
    for (let load = 0; load < 50; load += 1) shares.addLeased({ destinationId: 't0' } as DueDelivery);
    expect(plan.offers(many(1))).toEqual([]);
  });

  it('offers and claims for each of many fast targets, whatever is queued ahead for the others', async () => {
    shares = new ConcurrencyLimiter(10, 600);
    plan = planOf(shares);
    for (const { id } of many(32)) {
      shares.addLeased({ destinationId: id } as DueDelivery);
      shares.addLeased({ destinationId: id } as DueDelivery);
      shares.free(id);
      shares.next(id);
      shares.next(id);
      shares.end(id, { kind: 'delivered', httpStatus: 200 }, 1);
    }
    expect(plan.offers(many(32))).toHaveLength(32);
    expect(await plan.slots(many(32), LEASE_MS)).toHaveLength(32);
  });

  it.each([2, 100])(
    'asks one question for each probe of %i targets, and claims nothing, while nothing is due',
    async (count) => {
      await drain(plan, many(count));
      for (let probes = 0; probes < 3; probes += 1) {
        expect(await plan.slots(many(count), LEASE_MS)).toEqual([]);
        expect(plan.untilDue()).toBeLessThanOrEqual(500);
        jest.advanceTimersByTime(plan.untilDue());
      }
      expect(asked.words).toEqual(Array.from({ length: 3 }, () => `due of ${count}`));
    },
  );

  it('finds what another replica recorded at the next probe', async () => {
    await drain(plan, many(2));
    asked.due = [{ targetId: 't1', inMs: 0 }];
    expect(idsOf(await plan.slots(many(2), LEASE_MS))).toEqual(['t1']);
  });

  it('waits for a retry that a probe has seen, and then asks for it alone', async () => {
    await drain(plan, many(2));
    asked.due = [{ targetId: 't1', inMs: 120 }];
    expect(await plan.slots(many(2), LEASE_MS)).toEqual([]);
    expect(plan.untilDue()).toBe(120);
    jest.advanceTimersByTime(120);
    expect(idsOf(await plan.slots(many(2), LEASE_MS))).toEqual(['t1']);
    expect(asked.words).toEqual(['due of 2']);
  });

  it('asks for a retry that a slow probe has seen no sooner than it is due', async () => {
    await drain(plan, many(2));
    asked.due = [{ targetId: 't1', inMs: 120 }];
    asked.meanwhile = () => {
      jest.advanceTimersByTime(30);
    };
    expect(await plan.slots(many(2), LEASE_MS)).toEqual([]);
    expect(plan.untilDue()).toBe(120);
  });

  it.each([0, 100])(
    'keeps the time of a retry beside deliveries that are due before it (in %i ms)',
    async (inMs) => {
      await drain(plan, many(1));
      await plan.slots(many(1), LEASE_MS);
      plan.noteDue('t0', inMs);
      plan.noteDue('t0', 50);
      plan.noteDue('t0');
      const slots = await plan.slots(many(1), LEASE_MS);
      expect(idsOf(slots)).toEqual(['t0']);
      plan.noteClaimed(slots, []);
      expect(plan.untilDue()).toBe(50);
      jest.advanceTimersByTime(50);
      expect(idsOf(await plan.slots(many(1), LEASE_MS))).toEqual(['t0']);
    },
  );

  it('keeps a signal for a time when there is a target', async () => {
    await drain(plan, many(1));
    plan.noteWake();
    expect(await plan.slots([], LEASE_MS)).toEqual([]);
    expect(idsOf(await plan.slots(many(1), LEASE_MS))).toEqual(['t0']);
  });

  it('shares its probes with the other dispatchers of the process', async () => {
    const other = planOf(new ConcurrencyLimiter(10, 10));
    const target = closed('exchange');
    await other.slots([target], LEASE_MS);
    await drain(plan, many(2));
    other.noteClaimed([{ destinationId: 'exchange', free: 1, isProbe: false }], []);
    asked.words.length = 0;
    asked.due = [{ targetId: 'exchange', inMs: 0 }];
    expect(await plan.slots(many(2), LEASE_MS)).toEqual([]);
    jest.advanceTimersByTime(20);
    expect(idsOf(await other.slots([target], LEASE_MS))).toEqual(['exchange']);
    expect(asked.words).toEqual(['due of 3']);
  });

  it('claims what was recorded here at once, though a probe just shared did not see it', async () => {
    const other = planOf(new ConcurrencyLimiter(10, 10));
    await other.slots(many(40), LEASE_MS);
    await drain(plan, many(40));
    await other.slots(many(40), LEASE_MS);
    plan.noteDue('t3');
    expect(idsOf(await plan.slots(many(40), LEASE_MS))).toEqual(['t3']);
    expect(asked.words.filter((word) => word.startsWith('due'))).toEqual(['due of 40']);
  });

  it('asks for one of many again when its time has come, when an attempt has ended, and each half second', async () => {
    await drain(plan, many(100));
    asked.due = [{ targetId: 't8', inMs: 300 }];
    expect(await plan.slots(many(100), LEASE_MS)).toEqual([]);
    expect(plan.untilDue()).toBe(300);
    plan.noteDue('t6', 100);
    expect(plan.untilDue()).toBe(100);
    plan.noteDue('t5');
    const slots = await plan.slots(many(100), LEASE_MS);
    expect(idsOf(slots)).toEqual(['t5']);
    plan.noteClaimed(slots, []);
    expect(await plan.slots(many(100), LEASE_MS)).toEqual([]);
    jest.advanceTimersByTime(300);
    expect(idsOf(await plan.slots(many(100), LEASE_MS))).toEqual(['t6', 't8']);
    asked.due = [{ targetId: 't9', inMs: 0 }];
    jest.advanceTimersByTime(200);
    expect(idsOf(await plan.slots(many(100), LEASE_MS))).toEqual(['t6', 't8', 't9']);
  });

  it('asks again for one of many that came due while nothing was found for it', async () => {
    await drain(plan, many(100));
    plan.noteDue('t5');
    const slots = await plan.slots(many(100), LEASE_MS);
    jest.advanceTimersByTime(1);
    plan.noteDue('t5');
    jest.advanceTimersByTime(1);
    plan.noteClaimed(slots, []);
    expect(idsOf(await plan.slots(many(100), LEASE_MS))).toEqual(['t5']);
  });

  it('asks for one of many that came due while the due ones were read, though another retry of it comes later', async () => {
    await drain(plan, many(100));
    asked.due = [{ targetId: 't5', inMs: 400 }];
    asked.meanwhile = () => {
      jest.advanceTimersByTime(1);
      plan.noteDue('t5');
    };
    await plan.slots(many(100), LEASE_MS);
    expect(idsOf(await plan.slots(many(100), LEASE_MS))).toEqual(['t5']);
  });

  it('forgets targets that are gone', async () => {
    await drain(plan, many(100));
    plan.noteDue('t99');
    await plan.slots(many(50), LEASE_MS);
    jest.advanceTimersByTime(500);
    await plan.slots(many(50), LEASE_MS);
    expect(await plan.slots(many(100), LEASE_MS)).toEqual([]);
  });

  it('leaves out a target whose circuit is open, but for a probe, asked for twice a second', async () => {
    const targets: Target[] = [closed('a'), OPEN];
    expect(idsOf(await plan.slots(targets, LEASE_MS))).toEqual(['a']);
    asked.probes = [{ targetId: 'b', isUntried: false }];
    expect(idsOf(await plan.slots(targets, LEASE_MS))).toEqual(['a']);
    expect(asked.words).toEqual(['probes of b', 'due of 1']);
    jest.advanceTimersByTime(1_000);
    const slots = await plan.slots(targets, LEASE_MS);
    expect(slots.find(({ destinationId }) => destinationId === 'b')).toMatchObject({
      free: 1,
      isProbe: true,
    });
  });

  it.each([
    ['recovering', 2_500, { free: 4, untried: 'first' }],
    ['closed', 59_999, { free: 10, untried: 'first' }],
    ['closed', 60_000, { free: 10 }],
  ] as const)(
    'claims what was never tried first where a circuit is %s %i ms after it was open, for a minute',
    async (circuit, recoveredForMs, slot) => {
      const slots = await plan.slots([{ id: 'b', circuit, recoveredForMs }], LEASE_MS);
      expect(slots).toEqual([{ destinationId: 'b', isProbe: false, ...slot }]);
    },
  );

  it('puts probes first, since a claim may be full before it comes to its last targets', async () => {
    asked.probes = [{ targetId: 't9', isUntried: true }];
    const slots = await plan.slots(
      [...many(9), { id: 't9', circuit: 'open', recoveredForMs: null }],
      LEASE_MS,
    );
    expect(slots).toHaveLength(10);
    expect(slots[0]).toEqual({ destinationId: 't9', free: 1, isProbe: false, untried: 'only' });
  });

  it('takes no right to a probe while an attempt is in flight, which leaves no place for it', async () => {
    shares.addLeased({ destinationId: 'b' } as DueDelivery);
    shares.next('b');
    await drain(plan, [closed('a')]);
    jest.advanceTimersByTime(1_000);
    await plan.slots([closed('a'), OPEN], LEASE_MS);
    expect(asked.words).toEqual(['due of 1']);
  });

  it.each([
    [0, 1],
    [999, 1],
    [1_000, 2],
    [3_500, 8],
    [4_000, 10],
    [1e9, 10],
  ])('lets a target that recovered %i ms ago take %i attempts', async (recoveredForMs, free) => {
    const [slot] = await plan.slots([{ id: 'a', circuit: 'closed', recoveredForMs }], LEASE_MS);
    expect(slot?.free).toBe(free);
  });

  it('brings forward what waits at a recovering target, at a bounded rate', async () => {
    const targets: Target[] = [{ id: 'a', circuit: 'recovering', recoveredForMs: 10 }];
    const brought = (): number => asked.words.filter((word) => word === 'bring forward a').length;
    for (let round = 0; round < 5; round += 1) await plan.slots(targets, LEASE_MS);
    expect(brought()).toBe(1);
    jest.advanceTimersByTime(50);
    await plan.slots(targets, LEASE_MS);
    expect(brought()).toBe(2);
  });

  it('asks for a recovering target at each claim, as something was just made due to it', async () => {
    const recovering: Target = { id: 'a', circuit: 'recovering', recoveredForMs: 10 };
    const targets = [recovering, closed('b')];
    await drain(plan, targets);
    expect(idsOf(await plan.slots(targets, LEASE_MS))).toEqual(['a']);
  });
});
