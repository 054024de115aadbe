import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it, describe } from '@jest/globals';
import { Batcher, REQUESTS, RESULTS } from '../../src/platform/scheduling/batcher.ts';
import { PermitQueue, type Permit, type QueueRound } from '../../src/database/polling/permit-queue.ts';
import { SharedWork } from '../../src/platform/scheduling/shared-work.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import { Loop } from '../../src/platform/scheduling/loop.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { Adoption } from '../../src/features/adoption/adoption.ts';
import { PaymentsService } from '../../src/features/payments/payments.service.ts';
import { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { FeatureApp } from '../support/feature-app.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { reportOf } from '../support/fakes/provider.fake.ts';
import { OfferingTaker } from '../support/offering-taker.ts';
import { QUOTE_BODY, startGateway } from '../support/quotes-app.ts';
import { paymentToAdd } from '../support/stores.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

describe('batched requests', () => {
  const AWAY = new Error('away');

  /** The groups in the order of their work, and the end of each. */
  let worked: string[][] = [];
  let release: () => void = () => undefined;
  let isHeld = false;

  beforeEach(() => {
    worked = [];
    isHeld = false;
  });

  function groups(faulty: readonly string[] = []): Batcher<string, string> {
    const work = async (items: readonly string[]): Promise<string[]> => {
      worked.push([...items]);
      if (isHeld) await new Promise<void>((resolve) => (release = resolve));
      if (items.includes('away')) throw AWAY;
      const fault = items.find((item) => faulty.includes(item));
      if (fault !== undefined) throw new Error(fault);
      return items.map((item) => `${item}!`);
    };
    return new Batcher(work, { ...REQUESTS, failsAll: (error) => error === AWAY, keyOf: (item) => item });
  }

  it('works on one alone at once, and then in one go on what came meanwhile', async () => {
    const all = groups();
    isHeld = true;
    const first = all.add('a');
    await nextTurn();
    expect(worked).toEqual([['a']]);
    const others = ['b', 'c'].map((item) => all.add(item));
    isHeld = false;
    release();
    expect(await Promise.all([first, ...others])).toEqual(['a!', 'b!', 'c!']);
    expect(worked).toEqual([['a'], ['b', 'c']]);
    expect(await all.add('d')).toBe('d!');
  });

  it('takes what comes in one turn as a group, no two of one key and no more than fifty', async () => {
    const all = groups();
    const items = ['a', 'a', ...Array.from({ length: 60 }, (_, n) => String(n)), 'a'];
    expect(await Promise.all(items.map((item) => all.add(item)))).toEqual(items.map((item) => `${item}!`));
    expect(worked.map(({ length }) => length)).toEqual([50, 12, 1]);
    expect(worked.map((group) => group.filter((item) => item === 'a').length)).toEqual([1, 1, 1]);
  });

  it('lets only the faulty one of a group fail, and goes on meanwhile', async () => {
    const all = groups(['b']);
    const ended = await Promise.allSettled(['a', 'b', 'c'].map((item) => all.add(item)));
    expect(ended.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
      'a!',
      'Error: b',
      'c!',
    ]);
    expect(worked).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('tries none of a group again that failed as a whole', async () => {
    const all = groups();
    const ended = await Promise.allSettled(['a', 'away'].map((item) => all.add(item)));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(worked).toEqual([['a', 'away']]);
    expect(await all.add('b')).toBe('b!');
  });

  it('begins the next group beside one that takes long', async () => {
    let pass: () => void = () => undefined;
    const timers = {
      nowMs: () => 0,
      after: (_ms: number, act: () => void) => ((pass = act), () => undefined),
    };
    const ends = new Map<string, () => void>();
    const all = new Batcher<string, string>(
      async (items) => {
        await new Promise<void>((resolve) => ends.set(String(items), resolve));
        return items;
      },
      { ...REQUESTS, timers },
    );
    const first = all.add('a');
    await nextTurn();
    const second = all.add('b');
    await nextTurn();
    expect([...ends.keys()]).toEqual(['a']);
    pass();
    await nextTurn();
    expect([...ends.keys()]).toEqual(['a', 'b']);
    ends.get('b')?.();
    expect(await second).toBe('b');
    ends.get('a')?.();
    expect(await first).toBe('a');
  });
});

const ROUND: QueueRound = { granted: 0, isProbe: false, waitMs: 0, everyMs: 10, refusal: null };

class Refused extends Error {
  constructor(readonly waitMs: number) {
    super('refused');
  }
}

/** A queue whose rounds `round` answers, and the callers in the order in which they were served. */
function queueOf(round: (wanted: number) => Partial<QueueRound>) {
  const asked: number[] = [];
  const served: string[] = [];
  const queue = new PermitQueue(
    async (wanted) => {
      asked.push(wanted);
      return { ...ROUND, ...round(wanted) };
    },
    (waitMs) => new Refused(waitMs),
  );
  const take = async (caller: string): Promise<Permit> => {
    const permit = await queue.takePermit(caller);
    served.push(caller);
    return permit;
  };
  return { take, asked, served };
}

/** The wait of each refused request; null for a served one. */
async function waitsOf(requests: readonly Promise<unknown>[]): Promise<(number | null)[]> {
  const settled = await Promise.allSettled(requests);
  return settled.map((each) =>
    each.status === 'rejected' ? Math.round((each.reason as Refused).waitMs) : null,
  );
}

describe('the lines of callers', () => {
  it('are served in turn, each in the order of its requests, with one question for all', async () => {
    const { take, asked, served } = queueOf(() => ({ granted: 1 }));
    await Promise.all(['flood', 'flood', 'flood', 'calm', 'calm'].map(take));
    expect(served).toEqual(['flood', 'calm', 'flood', 'calm', 'flood']);
    expect(asked).toEqual([1, 4, 3, 2, 1]);
  });

  it('give everything to a caller that is alone', async () => {
    const { take, asked, served } = queueOf((wanted) => ({ granted: wanted }));
    await Promise.all(Array.from({ length: 100 }, () => take('alone')));
    expect([served.length, asked]).toEqual([100, [1, 99]]);
  });

  it('refuse who would wait for more than five seconds, and tell each another time', async () => {
    const { take } = queueOf(() => ({ granted: 0, waitMs: 4_000, everyMs: 2_000 }));
    const first = take('key').catch(() => undefined);
    const waits = await waitsOf(Array.from({ length: 4 }, () => take('key')));
    const sorted = waits.filter((wait) => wait !== null).toSorted((a, b) => a - b);
    expect(new Set(sorted).size).toBe(4);
    for (const [index, wait] of sorted.entries()) expect(wait).toBeGreaterThanOrEqual(5_900 + index * 2_000);
    await first;
  });

  it('get the next requests one after the other', async () => {
    const { take } = queueOf(() => ({ granted: 0, waitMs: 4_900, everyMs: 200 }));
    expect(await waitsOf([take('one'), take('two')])).toEqual([4_900, 5_100]);
  });

  it('have one probe while the circuit is open, and refuse the others', async () => {
    const refusal = new Refused(700);
    let isOpen = false;
    const { take } = queueOf(() => {
      const round = isOpen ? { granted: 1, isProbe: true, refusal } : { granted: 0 };
      isOpen = true;
      return round;
    });
    const requests = [take('one'), take('one'), take('two')];
    expect(await requests[0]).toEqual({ isProbe: true });
    expect(await waitsOf(requests)).toEqual([null, 700, 700]);
  });

  it('all end with a question that fails, and ask again for the next request', async () => {
    let isAway = true;
    const { take } = queueOf(() => {
      if (isAway) throw new Error('connection lost');
      return { granted: 1 };
    });
    await expect(Promise.all([take('one'), take('two')])).rejects.toThrow('connection lost');
    isAway = false;
    expect(await take('one')).toEqual({ isProbe: false });
  });
});

describe('shared work', () => {
  it('shares a failure, forgets it, and keeps different keys apart', async () => {
    const shared = new SharedWork<number>();
    let runs = 0;
    const work = async (): Promise<number> => {
      runs += 1;
      if (runs === 1) throw new Error('first');
      return runs;
    };
    const both = await Promise.allSettled([shared.run('a', work), shared.run('a', work)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await shared.run('a', work)).toBe(2);
    expect(await Promise.all([shared.run('a', work), shared.run('b', work)])).toEqual([3, 4]);
  });

  it('keeps its result for a while that grows with the time of the work, up to a bound', async () => {
    const clock = new FakeClock();
    let reads = 0;
    let takesMs = 10;
    const read = async (): Promise<number> => {
      clock.advance(takesMs);
      return (reads += 1);
    };
    const shared = new SharedWork<number>({
      freshMs: 5_000,
      timesWork: 50,
      mostMs: 20_000,
      timers: clock.timers,
    });
    const get = (): Promise<number> => shared.run('a', read);
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    clock.advance(4_999);
    expect(await get()).toBe(1);
    clock.advance(1);
    takesMs = 300;
    expect(await get()).toBe(2);
    clock.advance(14_999);
    expect(await get()).toBe(2);
    clock.advance(1);
    takesMs = 3_600_000;
    expect(await get()).toBe(3);
    clock.advance(19_999);
    expect(await get()).toBe(3);
    clock.advance(1);
    expect(await get()).toBe(4);
    expect(await shared.run('b', read)).toBe(5);
  });
});

const never = new AbortController().signal;

async function msOf(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work;
  return performance.now() - from;
}

describe('a wake signal', () => {
  it('wakes whoever waits, and is not lost while nobody does', async () => {
    const wakeSignal = new WakeSignal();
    const waiting = msOf(wakeSignal.wait(10_000, never));
    wakeSignal.wake();
    expect(await waiting).toBeLessThan(1_000);
    wakeSignal.wake();
    expect(await msOf(wakeSignal.wait(10_000, never))).toBeLessThan(1_000);
  });

  it('brings a wake-up forward, never back', async () => {
    const wakeSignal = new WakeSignal();
    const sooner = msOf(wakeSignal.wait(10_000, never));
    wakeSignal.wakeIn(30);
    wakeSignal.wakeIn(5_000);
    expect(await sooner).toBeLessThan(2_000);
    const own = msOf(wakeSignal.wait(20, never));
    wakeSignal.wakeIn(10_000);
    expect(await own).toBeLessThan(2_000);
  });

  it('returns whether it was woken, or the time was over', async () => {
    const wakeSignal = new WakeSignal();
    expect(await wakeSignal.wait(5, never)).toBe(false);
    wakeSignal.wake();
    expect(await wakeSignal.wait(5, never)).toBe(true);
    expect(await wakeSignal.wait(5, never)).toBe(false);
    const waiting = wakeSignal.wait(10_000, never);
    wakeSignal.wake();
    expect(await waiting).toBe(true);
  });

  it('keeps a signal only for one wait, and ends at an abort', async () => {
    const wakeSignal = new WakeSignal();
    wakeSignal.wake();
    await wakeSignal.wait(0, never);
    const stopping = new AbortController();
    const waiting = wakeSignal.wait(60_000, stopping.signal);
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await sleep(20);
    expect(isOver).toBe(false);
    stopping.abort();
    await waiting;
  });
});

describe('a loop', () => {
  it('never runs two rounds at once, and stops after the running one', async () => {
    let running = 0;
    let most = 0;
    let rounds = 0;
    const loop = new Loop('test', new WakeSignal(), async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
      rounds += 1;
      return 0;
    });
    loop.start();
    loop.start();
    await waitFor(() => rounds >= 3);
    await loop.stop();
    const ended = rounds;
    await sleep(30);
    expect([most, running, rounds]).toEqual([1, 0, ended]);
  });

  it('goes on after a round that failed', async () => {
    let rounds = 0;
    const loop = new Loop('test', new WakeSignal(), () => {
      rounds += 1;
      return rounds === 1 ? Promise.reject(new Error('no')) : Promise.resolve(10_000);
    });
    loop.start();
    await waitFor(() => rounds === 2);
    await loop.stop();
  });
});

describe('a batcher', () => {
  const passing = new Error('away');
  const policy = { ...RESULTS, isTransient: (error: unknown): boolean => error === passing };

  it('commits what comes together in one group, of a hundred at most', async () => {
    const groups: number[] = [];
    const batcher = new Batcher<number>((items) => Promise.resolve(void groups.push(items.length)), policy);
    await Promise.all(Array.from({ length: 250 }, (_, index) => batcher.add(index)));
    expect(groups).toEqual([100, 100, 50]);
  });

  it('waits out a fault that passes and loses nothing', async () => {
    let failures = 3;
    const committed: number[] = [];
    const batcher = new Batcher<number>((items) => {
      failures -= 1;
      if (failures >= 0) return Promise.reject(passing);
      committed.push(...items);
      return Promise.resolve();
    }, policy);
    await Promise.all([batcher.add(1), batcher.add(2)]);
    expect(committed).toEqual([1, 2]);
  });

  it('shows how long the oldest uncommitted item waits, in the group under way and behind it', async () => {
    let finish: (() => void) | undefined;
    const committing = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    const batcher = new Batcher<number>(committing, policy);
    expect(batcher.waitedMs).toBe(0);
    const first = batcher.add(1);
    await waitFor(() => finish !== undefined);
    await sleep(30);
    expect(batcher.waitedMs).toBeGreaterThanOrEqual(30);
    finish?.();
    await first;
    await waitFor(() => batcher.waitedMs === 0);
  });

  it('gathers each group where it is patient, and does not count that as waiting', async () => {
    const time = new VirtualClock();
    const groups: unknown[] = [];
    const commit = (items: readonly number[]): Promise<void> =>
      Promise.resolve(void groups.push([time.now, ...items]));
    const patient = { ...policy, gatherMs: 100, maxBatch: 3, isPatient: true, timers: time };
    const batcher = new Batcher<number>(commit, patient);
    const waited: number[] = [];
    for (const [item, at] of [0, 0, 150, 180].entries()) time.at(at, () => void batcher.add(item));
    for (const at of [50, 190]) time.at(at, () => waited.push(batcher.waitedMs));
    await time.runSettled(1_000, () => false);
    expect(groups).toEqual([
      [100, 0, 1],
      [200, 2, 3],
    ]);
    expect(waited).toEqual([0, 0]);
  });

  it('gives up at a stop when the fault does not pass', async () => {
    const batcher = new Batcher<number>(() => Promise.reject(passing), policy);
    const adding = batcher.add(1).then(
      () => 'committed',
      () => 'failed',
    );
    await sleep(20);
    await batcher.drain(50);
    expect(await adding).toBe('failed');
  });
});

describe('leasing', () => {
  let world: FeatureApp;
  let taker: OfferingTaker;
  let payments: PaymentsService;

  beforeEach(() => {
    world = new FeatureApp();
    taker = new OfferingTaker(5_000);
    taker.free = 3;
    taker.endpoint = 'shop';
    world.signals.join(taker);
    const { cells, meter, clock, signals } = world;
    const adoption = new Adoption(cells, world.payments, signals, meter, clock, clock.timers);
    payments = new PaymentsService(
      world.payments,
      signals,
      adoption,
      cells,
      world.witness,
      world.watchedDeposits,
      world.proofs,
      world.withheld,
    );
  });

  /** The fakes answer that each offered destination has due deliveries. */
  describe('the dispatchers of the process are offered the deliveries, and told of them,', () => {
    it('when a quote is made', async () => {
      const app = await startGateway(world);
      try {
        const made = await app.post('/api/quote', QUOTE_BODY);
        expect(made.status).toBe(200);
        expect(taker.noted).toEqual(['shop']);
      } finally {
        await app.stop();
      }
    });

    it('when a quote is adopted', async () => {
      world.provider.statuses.set('q-1', reportOf('q-1'));
      await payments.track('q-1', { orderId: null, metadata: null, quote: null }, 'key shop', null);
      expect(taker.noted).toEqual(['shop']);
    });

    it('when a payment is labelled or resolved, and not where nothing changes', async () => {
      await world.payments.add(paymentToAdd('q-1'));
      const order = { orderId: 'A-1', metadata: null, quote: null };
      await payments.track('q-1', order, 'key shop', null);
      await payments.track('q-1', order, 'key shop', null);
      expect(taker.noted).toEqual(['shop']);
      await payments.resolve('q-1', { reason: 'test', note: null, by: 'test' });
      expect(taker.noted).toEqual(['shop', 'shop']);
    });

    it('when a poll finds a change', async () => {
      const { clock, schedule, circuit, signals } = world;
      const meters = { all: new FakeMeter(), own: new FakeMeter() };
      const settings = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
      const recorder = new PollRecorder(schedule, signals, circuit, meters, clock, SYSTEM_TIMERS, settings);
      await world.payments.add(paymentToAdd('q-1'));
      const claim = await schedule.claimNow('q-1', 0, 5_000);
      if (typeof claim === 'string') throw new Error(claim);
      await recorder.record(claim, reportOf('q-1', 'EXECUTING'));
      expect(taker.noted).toEqual(['shop']);
    });
  });
});
