import { describe, expect, it, beforeEach } from '@jest/globals';
import {
  firstSteps,
  isAnybodyTold,
  type AttentionReader,
  type AttentionReading,
  itemsOf,
} from '../../src/features/attention/attention-reader.ts';
import { destinationFacts } from '../support/destination-facts.ts';
import { CODES } from '../../src/features/attention/attention-item.ts';
import { AttentionView } from '../../src/features/attention/attention-view.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { DatabaseHealth, DatabaseTrouble } from '../../src/ports/readiness.ts';
import { NOTHING_UNTOLD, type Untold, type UntoldAt } from '../../src/ports/untold-payments.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import type { PaymentNeeds, TroubledEndpoint, TroubledEndpoints } from '../../src/ports/attention.ts';
import fc from 'fast-check';
import {
  changesOf,
  SAME_AGAIN_AFTER_MS,
  type ToldCode,
} from '../../src/domain/attention/attention-changes.ts';
import { destinationView, type Beside } from '../../src/features/destinations/destination-view.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const NOBODY = { count: 0, isMore: false, since: null, examples: [] };
const NEEDS = { troubles: {}, untold: NOBODY, untoldInTrouble: 0, all: NOBODY } as unknown as PaymentNeeds;
const BEGUN = { isHandedOver: false, isAsked: false };

describe('the first steps', () => {
  it('are over once any destination was told of an event', () => {
    expect(isAnybodyTold([])).toBe(false);
    expect(isAnybodyTold([destinationFacts()])).toBe(false);
    expect(isAnybodyTold([destinationFacts(), destinationFacts({ lastDeliveredAt: NOON })])).toBe(true);
  });

  it('are done one after the other', () => {
    expect(firstSteps([], BEGUN)).toEqual({ hasDestination: false, isTested: false, ...BEGUN });
    expect(firstSteps([destinationFacts()], BEGUN)).toMatchObject({ hasDestination: true, isTested: false });
    expect(firstSteps([destinationFacts({ testedAt: NOON })], { ...BEGUN, isAsked: true })).toEqual({
      hasDestination: true,
      isTested: true,
      isHandedOver: false,
      isAsked: true,
    });
  });
});

describe('attention view', () => {
  const NONE = { count: 0, isMore: false, since: null };
  const READING_MS = 1_000;

  let clock: FakeClock;
  let readings: number;
  let isToldYet: boolean;
  /** The reason why nothing can be read; undefined: the reading never ends. */
  let failure: Error | null | undefined;
  /** Called when the time for a reading is over. */
  let giveUp: () => void;
  let view: AttentionView;
  /** This process's view of the database. */
  let trouble: DatabaseTrouble | null;

  beforeEach(() => {
    clock = new FakeClock();
    readings = 0;
    isToldYet = false;
    failure = null;
    const reader = {
      read: () => {
        if (failure === undefined) return new Promise(() => undefined);
        if (failure !== null) return Promise.reject(failure);
        readings += 1;
        clock.advance(READING_MS);
        return Promise.resolve({
          checkedAt: clock.now(),
          untold: NOTHING_UNTOLD,
          disabled: { ...NONE, endpoints: [] },
          failing: { ...NONE, endpoints: [] },
          destinations: [],
          needs: NEEDS,
          others: [],
          inFlight: {},
          replicas: [],
        });
      },
      proofsOfLastDay: () => Promise.resolve({}),
      firstSteps: () => Promise.resolve(isToldYet ? {} : { firstSteps: {} }),
    } as unknown as AttentionReader;
    trouble = null;
    view = new AttentionView(reader, { trouble: () => trouble } as unknown as DatabaseHealth, clock, {
      nowMs: () => clock.timers.nowMs(),
      after: (_ms, act) => ((giveUp = act), () => undefined),
    });
  });

  /** How many readings this many requests cause, with one request a second. */
  async function readingsOf(requests: number): Promise<number> {
    for (let asked = 0; asked < requests; asked += 1) {
      await view.read();
      clock.advance(1_000);
    }
    return readings;
  }

  describe('a view whose reading takes a second', () => {
    it('is kept for ten seconds: a list beside it is fresh', async () => {
      isToldYet = true;
      expect(await readingsOf(10)).toBe(1);
      expect(await readingsOf(2)).toBe(2);
    });

    it('is read anew within five seconds while it shows the first steps', async () => {
      await readingsOf(1);
      isToldYet = true;
      const views = [];
      for (let asked = 0; asked < 7; asked += 1) {
        views.push(await view.read());
        clock.advance(1_000);
      }
      expect(views.at(-1)).not.toHaveProperty('firstSteps');
    });
  });

  it('counts every code for metrics, 0 where it is closed, with what this process knows of the database', async () => {
    const open = async (): Promise<string[]> =>
      (await view.counts()).flatMap(({ code, count }) => (count === 0 ? [] : [code]));
    expect((await view.counts()).map(({ code }) => code)).toEqual(CODES);
    expect(await open()).toEqual([]);
    trouble = { detail: 'it refused a connection', since: new Date(0) };
    expect(await open()).toEqual(['database_failing']);
    expect(readings).toBe(1);
  });

  describe('a view that the database does not give', () => {
    const first = async (): Promise<unknown> => {
      const answer = view.read();
      await new Promise(setImmediate);
      giveUp();
      const { items, inFlight } = await answer;
      return { detail: items[0]?.detail, inFlight };
    };
    const NOT_READ = { count: 0, isMore: true, sums: [], otherTokens: 0 };

    it.each([
      ['53300 too many connections', new StoreUnavailable({ reason: '53300 too many connections' })],
      ['no answer in time', undefined],
    ])('is the item that says why, beside what was read last: %s', async (reason, cause) => {
      const detail = `The database is in trouble: ${reason}.`;
      failure = cause;
      expect(await first()).toEqual({ detail, inFlight: NOT_READ });
    });

    it('stands as it was read before', async () => {
      await view.read();
      clock.advance(60_000);
      failure = new StoreUnavailable({ reason: '28P01 password refused' });
      expect(await first()).toEqual({
        detail: 'The database is in trouble: 28P01 password refused.',
        inFlight: {},
      });
    });

    it.each([
      ['53300 too many connections', new StoreUnavailable({ reason: '53300 too many connections' })],
      ['no answer in time', undefined],
      ['a statement failed', new TypeError('x')],
    ])('is the only code that metrics have: %s', async (_reason, cause) => {
      failure = cause;
      const counts = view.counts();
      await new Promise(setImmediate);
      giveUp();
      expect(await counts).toEqual([{ code: 'database_failing', severity: 'bad', count: 1 }]);
    });

    it('has the former counts in metrics while a reading takes long, unless the database is in trouble', async () => {
      const late = async (): Promise<unknown[]> => {
        const counts = view.counts();
        await new Promise(setImmediate);
        giveUp();
        return (await counts).map(({ code, count }) => `${code} ${count}`);
      };
      await view.read();
      clock.advance(60_000);
      failure = undefined;
      expect(await late()).toEqual(CODES.map((code) => `${code} 0`));
      clock.advance(900_000);
      expect(await late()).toEqual(['database_failing 1']);
      clock.advance(-900_000);
      trouble = { detail: 'it answers nothing', since: new Date(0) };
      expect(await late()).toEqual(['database_failing 1']);
    });

    it('is an error for every other reason', async () => {
      failure = new TypeError('x');
      await expect(view.read()).rejects.toThrow(TypeError);
    });
  });
});

describe('attention reader', () => {
  const EARLIER = new Date('2026-11-20T11:00:00.000Z');
  const NO_SUMS = { count: 0, isMore: false, sums: [], otherTokens: 0 };

  const at = (id: string, count: number, since: Date | null = NOON, isMore = false): UntoldAt => ({
    destination: { id, kind: 'webhook', name: `shop ${id}` },
    count,
    isMore,
    since,
  });

  const endpoint = (id: string): TroubledEndpoint => ({
    id,
    url: `https://${id}.example`,
    description: null,
    circuit: 'open',
    failingSince: NOON,
    disabledReason: null,
  });

  const troubled = (...ids: string[]): TroubledEndpoints => ({
    count: ids.length,
    since: NOON,
    endpoints: ids.map(endpoint),
    unacknowledged: NO_SUMS,
  });

  function reading(destinations: readonly UntoldAt[], failing: readonly string[] = []): AttentionReading {
    const untold: Untold = { count: 5, isMore: false, since: EARLIER, destinations };
    return {
      checkedAt: NOON,
      untold: destinations.length === 0 ? { ...untold, count: 0, since: null } : untold,
      disabled: troubled(),
      failing: troubled(...failing),
      destinations: [],
      needs: NEEDS,
      others: [],
      inFlight: NO_SUMS,
      replicas: [],
    };
  }

  const shown = (items: ReturnType<typeof itemsOf>): unknown[] =>
    items.map(({ code, count, isMore, since }) => [code, count, isMore, since]);

  describe('what an endpoint may be told', () => {
    it('is everything that is not about it', () => {
      const all = reading([at('a', 3), at('b', 4, EARLIER)], ['a', 'b']);
      expect(shown(itemsOf(all))).toEqual([
        ['undelivered', 5, false, EARLIER],
        ['endpoints_failing', 2, false, NOON],
      ]);
      expect(itemsOf(all, 'c')).toEqual(itemsOf(all));
    });

    it('leaves it out of what is about several', () => {
      const items = itemsOf(reading([at('a', 3), at('b', 4, EARLIER)], ['a', 'b']), 'a');
      expect(shown(items)).toEqual([
        ['undelivered', 4, false, EARLIER],
        ['endpoints_failing', 1, false, NOON],
      ]);
      expect(items.map(({ detail }) => detail).join()).not.toContain('shop a');
      expect(items.flatMap(({ endpoints }) => endpoints.map(({ id }) => id))).toEqual(['b']);
    });

    it('is nothing that is about it alone', () => {
      expect(itemsOf(reading([at('a', 5)], ['a']), 'a')).toEqual([]);
    });

    it('counts payments that the others may share as those of the largest, at least', () => {
      const items = itemsOf(reading([at('a', 3), at('b', 4, null), at('c', 2, EARLIER)]), 'a');
      expect(shown(items)).toEqual([['undelivered', 4, true, EARLIER]]);
      const more = itemsOf(reading([at('a', 3), at('b', 10_000, NOON, true)]), 'a');
      expect(shown(more)).toEqual([['undelivered', 10_000, true, NOON]]);
    });
  });
});

describe('attention changes', () => {
  const MINUTE_MS = 60_000;

  /** Returns the events that an endpoint gets for these readings, which are a minute apart. */
  function told(looks: readonly (readonly string[])[], everyMs = MINUTE_MS): string[] {
    let known: ToldCode[] = [];
    return looks.flatMap((open, index) => {
      const changes = changesOf(known, open, new Date(NOON.getTime() + index * everyMs));
      known = [
        ...known.filter(({ code }) => !changes.some((change) => change.told.code === code)),
        ...changes.map((change) => change.told),
      ];
      return changes.map((change) => `${index} ${change.type.replace('attention.', '')} ${change.told.code}`);
    });
  }

  describe('what an endpoint is told of what needs a person', () => {
    it('is each code once when it opens and once when it closes', () => {
      expect(told([[], ['a'], ['a'], ['a', 'b'], ['b'], []])).toEqual([
        '1 opened a',
        '3 opened b',
        '4 closed a',
        '5 closed b',
      ]);
    });

    it('knows when it was told', () => {
      const [change] = changesOf([], ['a'], NOON);
      expect(change?.told).toEqual({ code: 'a', isOpen: true, openedAt: NOON, closedAt: null });
      const later = new Date(NOON.getTime() + 1);
      const [closed] = changesOf(change === undefined ? [] : [change.told], [], later);
      expect(closed?.told).toEqual({ code: 'a', isOpen: false, openedAt: NOON, closedAt: later });
    });

    it('is not again within five minutes that a code opened, and then what is true', () => {
      expect(told([['a'], [], ['a'], ['a'], ['a'], ['a']])).toEqual([
        '0 opened a',
        '1 closed a',
        '5 opened a',
      ]);
    });

    it('is nothing of a change that was undone before it could be told', () => {
      expect(told([['a'], [], ['a'], [], [], [], [], []])).toEqual(['0 opened a', '1 closed a']);
      expect(told([['a'], [], ['a'], [], [], ['a'], []])).toEqual([
        '0 opened a',
        '1 closed a',
        '5 opened a',
        '6 closed a',
      ]);
    });

    it('is at most one of a code and type in five minutes, and in the end what is true', () => {
      const looks = fc.array(fc.subarray(['a', 'b']), { minLength: 1, maxLength: 60 });
      fc.assert(
        fc.property(looks, fc.integer({ min: 1_000, max: 4 * MINUTE_MS }), (played, everyMs) => {
          const rest = Array.from(
            { length: Math.ceil(SAME_AGAIN_AFTER_MS / everyMs) + 1 },
            () => played.at(-1) ?? [],
          );
          const all = told([...played, ...rest], everyMs).map((line) => {
            const [at = '', type = '', code = ''] = line.split(' ');
            return { atMs: Number(at) * everyMs, type, code };
          });
          for (const [index, { atMs, type, code }] of all.entries())
            for (const next of all.slice(index + 1))
              if (next.type === type && next.code === code)
                expect(next.atMs - atMs).toBeGreaterThanOrEqual(SAME_AGAIN_AFTER_MS);
          for (const code of ['a', 'b']) {
            const last = all.findLast((each) => each.code === code)?.type ?? 'closed';
            expect(last).toBe((played.at(-1) ?? []).includes(code) ? 'opened' : 'closed');
          }
        }),
      );
    });
  });
});

describe('destinations', () => {
  const LATER = new Date('2026-11-20T12:05:00.000Z');
  const BESIDE: Beside = { trouble: null, isUnreadable: false, counts: {} };
  const EXCHANGE = { id: 'rabbitmq', kind: 'rabbitmq', name: 'RabbitMQ (exchange payments)', url: null };
  const FAILED = { at: NOON, failure: 'nack', code: null, httpStatus: null, excerpt: null, deliveryId: '7' };

  const refused = (payments: number) => ({ payments, since: NOON, examples: [] });

  describe('a destination', () => {
    it('that works has no time since when, and its latency of the last hour', () => {
      const counts = { l3: 2 };
      expect(
        destinationView(destinationFacts({ lastDeliveredAt: NOON }), { ...BESIDE, counts }),
      ).toMatchObject({
        state: 'ok',
        since: null,
        lastFailure: null,
        lastDeliveredAt: NOON,
        latency: { count: 2 },
      });
    });

    it('says with which answer it failed last, and since when', () => {
      const lastFailure = {
        ...FAILED,
        failure: 'status',
        httpStatus: 500,
        excerpt: 'out of stock',
      };
      const facts = destinationFacts({ failingSince: NOON, lastFailure });
      expect(destinationView(facts, BESIDE)).toMatchObject({
        state: 'failing',
        since: NOON,
        lastFailure: { at: NOON, failure: 'status', httpStatus: 500, text: 'out of stock', deliveryId: '7' },
      });
    });

    it('is down while its broker is away, whatever failed before', () => {
      const trouble = { problem: 'away', detail: 'connection refused', since: LATER } as const;
      const facts = destinationFacts({ ...EXCHANGE, lastFailure: FAILED });
      expect(destinationView(facts, { ...BESIDE, trouble })).toMatchObject({
        id: 'rabbitmq',
        state: 'open',
        since: LATER,
        lastFailure: { at: LATER, failure: 'away', text: 'connection refused', deliveryId: null },
      });
    });

    it('refuses where its broker takes other events, and fails where it takes none', () => {
      const trouble = { problem: 'refuses', detail: 'a bound queue is full', since: NOON } as const;
      const facts = destinationFacts({ ...EXCHANGE, refused: refused(2), lastFailure: FAILED });
      expect(destinationView({ ...facts, lastDeliveredAt: LATER }, { ...BESIDE, trouble })).toMatchObject({
        state: 'refusing',
        since: NOON,
        refused: { payments: 2 },
        lastFailure: { failure: 'nack', text: 'a bound queue is full', deliveryId: '7' },
      });
      expect(destinationView(facts, { ...BESIDE, trouble })).toMatchObject({ state: 'failing', since: NOON });
    });
  });
});
