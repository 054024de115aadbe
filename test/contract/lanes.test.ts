import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readReport } from '../../src/domain/payment/report.ts';
import type { DueDelivery, Settlement } from '../../src/ports/deliveries.ts';
import type { TestDatabase } from '../support/database.ts';
import { OfferingTaker } from '../support/offering-taker.ts';
import { pollResult } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'] as const;
const PAYMENTS = 6;
const LEASE_MS = 20_000;
const MAX_ROUNDS = 60;

/** How an attempt ends: `late` fails and no longer holds its lane, `lost` is given up, `back` was not tried. */
type End = 'delivered' | 'again' | 'late' | 'lost' | 'back';
const ENDS: readonly End[] = ['delivered', 'delivered', 'again', 'late', 'lost', 'back'];

interface Published {
  readonly sequence: number;
  readonly end: End;
}

let db: TestDatabase;
let replicas: readonly [Stores, Stores];
const takers = [new OfferingTaker(LEASE_MS), new OfferingTaker(LEASE_MS)];

beforeAll(async () => {
  const opened = await openReplicas();
  db = opened.db;
  replicas = [opened.one, opened.two];
  for (const [index, { wakeSignals }] of replicas.entries()) wakeSignals.join(takers[index] as OfferingTaker);
});

/** Two replicas, an endpoint, some payments, and what became of each attempt in the order of their claims. */
class World {
  readonly endpoint = randomUUID();
  readonly published = new Map<string, Published[]>();
  private readonly ends: End[];

  constructor(
    ends: readonly End[],
    private readonly free: number,
  ) {
    this.ends = [...ends];
  }

  async open(): Promise<void> {
    await db.query('DELETE FROM destination');
    await addDestination(db, { id: this.endpoint });
    for (const taker of takers) Object.assign(taker, { endpoint: this.endpoint, free: this.free });
    for (let index = 0; index < PAYMENTS; index += 1) {
      const quoteId = randomUUID();
      this.published.set(quoteId, []);
      await replicas[0].payments.add(paymentToAdd(quoteId));
    }
  }

  async record(stores: Stores, status: string): Promise<void> {
    const text = `{"status":"${status}"}`;
    const report = readReport(JSON.parse(text), text);
    if (report === null) throw new Error('no report');
    const polls = await Promise.all(
      [...this.published.keys()].map(async (quoteId) => {
        const claim = await stores.schedule.claimNow(quoteId, 0, 6_000);
        if (typeof claim === 'string') throw new Error(`no claim: ${claim}`);
        return pollResult(claim, { kind: 'report', report });
      }),
    );
    await stores.schedule.record(polls);
  }

  /** Claims, and settles that and what was leased to it at once; with nothing left to choose from, everything is delivered. */
  async deliver(stores: Stores): Promise<number> {
    const owed = await stores.deliveries.claim(
      [{ destinationId: this.endpoint, free: 3, isProbe: false }],
      LEASE_MS,
    );
    owed.push(...(takers[replicas.indexOf(stores)]?.takeAll() ?? []));
    await stores.deliveries.settle(owed.map((delivery) => this.settlement(delivery)));
    return owed.length;
  }

  private settlement(delivery: DueDelivery): Settlement {
    const end = this.ends.pop() ?? 'delivered';
    this.published.get(delivery.quoteId)?.push({ sequence: delivery.sequence, end });
    const settled = { delivery, holdsLane: end !== 'late', lanePatienceMs: null, ageMs: 1, durationMs: 1 };
    if (end === 'delivered')
      return { ...settled, outcome: { kind: 'delivered', httpStatus: 200 }, retryInMs: null };
    if (end === 'back') return { ...settled, outcome: { kind: 'held', retryInMs: 0 }, retryInMs: null };
    const outcome = { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null } as const;
    return { ...settled, outcome, retryInMs: end === 'lost' ? null : 0 };
  }
}

/** Event n+1 comes only after n was delivered, given up, or let go; and everything comes that is not given up. */
function checkOrder(published: readonly Published[]): void {
  const over = new Set<number>();
  const done = new Set<number>();
  for (const { sequence, end } of published) {
    for (let before = 1; before < sequence; before += 1) expect([...over]).toContain(before);
    expect([...done]).not.toContain(sequence);
    if (end === 'delivered' || end === 'lost') done.add(sequence);
    if (end !== 'again' && end !== 'back') over.add(sequence);
  }
  expect([...done].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
}

describe('the lanes of an endpoint, with two replicas that record and deliver at the same time', () => {
  it.each([
    ['claims them all', 0],
    ['gets two of each new group', 2],
    ['gets all new ones', PAYMENTS],
  ])(
    'keep the order of each payment and strand nothing, however attempts end, when it %s',
    async (_what, free) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...ENDS), { maxLength: 60 }),
          fc.array(fc.array(fc.nat(2), { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
          async (ends, plan) => {
            const world = new World(ends, free);
            await world.open();
            for (const [step, deliveries] of plan.entries()) {
              const [one, two] = step % 2 === 0 ? replicas : [replicas[1], replicas[0]];
              await Promise.all([
                world.record(one, STEPS[step] ?? 'COMPLETED'),
                ...deliveries.map((which) => world.deliver(which === 0 ? one : two)),
              ]);
            }
            for (let round = 0, idle = 0; idle < 2; round += 1) {
              if (round > MAX_ROUNDS) throw new Error('it never ends');
              const counts = await Promise.all(replicas.map((stores) => world.deliver(stores)));
              idle = counts.every((count) => count === 0) ? idle + 1 : 0;
            }
            for (const published of world.published.values()) checkOrder(published);
          },
        ),
        { numRuns: 25 },
      );
    },
    120_000,
  );
});
