import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { PostgresDeliveries } from '../../src/database/deliveries/deliveries.store.ts';
import type { Deliveries, DueDelivery, Outcome, Settlement } from '../../src/ports/deliveries.ts';
import { FakeDeliveries } from '../support/fakes/deliveries.fake.ts';
import { moved } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';
import { timePasses } from '../support/time-passes.ts';
import { VirtualClock } from '../../tools/simulation/virtual-clock.ts';

const LEASE_MS = 20_000;
const PATIENCE_MS = 30_500;
const PAYMENTS = 5;
const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'] as const;

/** One step of the test. The times are such that nothing becomes due within a few milliseconds of a claim. */
type Act =
  | { readonly kind: 'event'; readonly payment: number }
  | { readonly kind: 'deliver'; readonly free: number; readonly ends: readonly End[]; readonly how: How }
  | { readonly kind: 'probe' }
  | { readonly kind: 'bring' }
  | { readonly kind: 'pass'; readonly ms: number };
type End = 'taken' | 'refused' | 'lost' | 'back';
type How = 'due' | 'only' | 'first' | 'probe';

const acts = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('event' as const), payment: fc.nat(PAYMENTS - 1) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('deliver' as const),
        free: fc.integer({ min: 1, max: 4 }),
        ends: fc.array(fc.constantFrom<End>('taken', 'refused', 'refused', 'refused', 'lost', 'back'), {
          minLength: 4,
          maxLength: 4,
        }),
        how: fc.constantFrom<How>('due', 'due', 'due', 'only', 'first', 'probe'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('probe' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('bring' as const) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 6_000, 40_000) }),
    },
  ),
  { minLength: 10, maxLength: 60 },
);

/** Deliveries to one endpoint, with a clock that a test moves. */
interface World {
  readonly deliveries: Deliveries;
  readonly endpoint: string;
  /** Records the next event of this payment; false: the payment has ended. */
  record(payment: number): Promise<boolean>;
  pass(ms: number): Promise<void>;
  numberOf(quoteId: string): number;
}

function memory(): World {
  const clock = new VirtualClock();
  const deliveries = new FakeDeliveries(clock);
  const counts = Array<number>(PAYMENTS).fill(0);
  return {
    deliveries,
    endpoint: 'shop',
    record: async (payment) => {
      const sequence = (counts[payment] ?? 0) + 1;
      if (sequence > STEPS.length + 1) return false;
      counts[payment] = sequence;
      deliveries.record(String(payment), sequence, 'shop');
      return true;
    },
    pass: async (ms) => {
      const until = clock.now + ms;
      clock.at(until, () => undefined);
      clock.runUntil(until);
    },
    numberOf: Number,
  };
}

const { db, one } = await openReplicas();

async function postgres(): Promise<World> {
  await db.query('DELETE FROM destination');
  const endpoint = await addDestination(db);
  const quoteIds: string[] = Array.from({ length: PAYMENTS }, () => randomUUID());
  const counts = Array<number>(PAYMENTS).fill(0);
  return {
    // A new store for each use: a claim begins where the last one ended, and this clock goes back beyond that.
    get deliveries() {
      return new PostgresDeliveries(one.database);
    },
    endpoint,
    record: async (payment) => {
      const quoteId = quoteIds[payment] as string;
      const sequence = (counts[payment] ?? 0) + 1;
      if (sequence > STEPS.length + 1) return false;
      counts[payment] = sequence;
      if (sequence === 1) await one.payments.add(paymentToAdd(quoteId));
      else await moved(one, quoteId, STEPS[sequence - 2] as string);
      return true;
    },
    pass: (ms) => timePasses(db, ms),
    numberOf: (quoteId) => quoteIds.indexOf(quoteId),
  };
}

function settlement(delivery: DueDelivery, end: End): Settlement {
  const outcome: Outcome =
    end === 'taken'
      ? { kind: 'delivered', httpStatus: 204, trace: { address: null, excerpt: null } }
      : end === 'back'
        ? { kind: 'held', retryInMs: 0 }
        : {
            kind: 'failed',
            failure: 'status',
            httpStatus: 500,
            retryAfterMs: null,
            trace: { address: null, excerpt: null },
          };
  const retryInMs = end === 'refused' ? 10_500 * (delivery.retries + 1) : null;
  return {
    delivery,
    outcome,
    retryInMs,
    holdsLane: true,
    lanePatienceMs: PATIENCE_MS,
    ageMs: 0,
    durationMs: 0,
  };
}

/** The visible effect of an act. */
async function play(world: World, act: Act): Promise<unknown> {
  const { deliveries, endpoint } = world;
  if (act.kind === 'event') return world.record(act.payment);
  if (act.kind === 'pass') return world.pass(act.ms);
  if (act.kind === 'bring') return deliveries.bringForward(endpoint);
  if (act.kind === 'probe')
    return (await deliveries.takeProbes([endpoint], LEASE_MS)).map(({ isUntried }) => isUntried);
  const slot = { destinationId: endpoint, free: act.free, isProbe: act.how === 'probe' };
  const more = act.how === 'only' || act.how === 'first' ? { untried: act.how } : {};
  const owed = await deliveries.claim([{ ...slot, ...more }], LEASE_MS);
  const ends = act.ends.slice(0, owed.length);
  const { changes } = await deliveries.settle(owed.map((each, n) => settlement(each, ends[n] as End)));
  const seen = owed.map(({ quoteId, sequence, attempts, retries, isUnscheduled, resumeInMs }) => ({
    payment: world.numberOf(quoteId),
    sequence,
    attempts,
    retries,
    isUnscheduled,
    isEarly: resumeInMs !== null,
  }));
  return { seen, changes: changes.map(({ change }) => change) };
}

describe('the deliveries to an endpoint', () => {
  it('are the same in memory and in PostgreSQL, whatever happens in whichever order', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (all) => {
        const fake = memory();
        const real = await postgres();
        for (const [n, act] of all.entries()) {
          expect([n, act, await play(fake, act)]).toEqual([n, act, await play(real, act)]);
          // The server's clock goes on: the delivery that became due first comes first.
          await fake.pass(1);
        }
      }),
      { numRuns: 30 },
    );
  });
});
