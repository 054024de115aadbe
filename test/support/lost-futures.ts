import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import type { PaymentEvent } from '../../packages/client/src/index.ts';
import { eventOfPayment, jumped } from './paybell-events.ts';

type Status = PaymentEvent['data']['status'];

/** How far the provider may take a payment: the statuses on each way to its end. */
const WAYS: readonly (readonly Status[])[] = [
  ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'],
  ['AWAITING_DEPOSIT', 'COMPLETED'],
  ['AWAITING_DEPOSIT', 'EXPIRED', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'],
  ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING', 'FAILED'],
  ['AWAITING_DEPOSIT', 'EXPIRED'],
];
/** After each restore, the first number lies above the next multiple of this. */
const EPOCH = 1_000_000;
const MAX_TIMES_BACK = 3;

/** The events of one payment that a consumer receives after the database went back, in order. */
export interface LostFutures {
  readonly arrivals: readonly PaymentEvent[];
  /** How the payment ends. */
  readonly end: Status;
  /** The events that the database kept. */
  readonly kept: readonly PaymentEvent[];
}

/**
 * A payment of a database that went back any number of times: each time, the log continues after an earlier event, with a
 * state up to the present one. The consumer gets all events that are left in the log, any of the lost ones, and each of them
 * once or twice, in any order.
 */
export function lostFutures(): fc.Arbitrary<LostFutures> {
  const picks = fc.infiniteStream(fc.nat({ max: 1_000 }));
  return fc
    .record({ way: fc.constantFrom(...WAYS), timesBack: fc.integer({ min: 0, max: MAX_TIMES_BACK }), picks })
    .map(({ way, timesBack, picks }) => {
      const next = (below: number): number => (picks.next().value ?? 0) % Math.max(1, below);
      const { kept, lost } = history(way, timesBack, next);
      const twice = [...kept, ...lost].filter(() => next(3) === 0);
      const received = [...kept, ...lost.filter(() => next(2) === 0), ...twice];
      const arrivals = received.map((event) => ({ event, at: next(1_000) }));
      return {
        arrivals: arrivals.toSorted((a, b) => a.at - b.at).map(({ event }) => event),
        end: way.at(-1) ?? 'AWAITING_DEPOSIT',
        kept,
      };
    });
}

function history(
  way: readonly Status[],
  timesBack: number,
  next: (below: number) => number,
): { kept: PaymentEvent[]; lost: PaymentEvent[] } {
  const [subject, completionId] = [randomUUID(), randomUUID()];
  const [kept, lost]: [PaymentEvent[], PaymentEvent[]] = [[], []];
  let [told, reached] = [0, 0];
  const record = (sequence: number, previous: number | null): void => {
    const event = inStatus(eventOfPayment(subject, sequence), way[told] ?? 'COMPLETED', kept, completionId);
    kept.push(previous === null ? event : jumped(event, previous));
    reached = Math.max(reached, told);
  };
  for (let time = 0; time <= timesBack; time += 1) {
    const last = kept.at(-1)?.data;
    told = last === undefined ? 0 : way.indexOf(last.status);
    // The provider may be ahead of the first event that is published.
    told += next(reached - told + 1);
    if (time === 0) record(1, null);
    else record(time * EPOCH + 1 + next(5), last?.sequence ?? 0);
    const isLast = time === timesBack;
    const goal = isLast ? way.length - 1 : Math.min(way.length - 1, reached + next(way.length));
    while (told < goal) {
      told += 1;
      record((kept.at(-1)?.data.sequence ?? 0) + 1, null);
    }
    if (!isLast) lost.push(...kept.splice(next(kept.length + 1)));
  }
  return { kept, lost };
}

/** A completion keeps its id whenever it is published; once the log has it, it is not published again. */
function inStatus(
  event: PaymentEvent,
  status: Status,
  before: readonly PaymentEvent[],
  completionId: string,
): PaymentEvent {
  const data = { ...event.data, status };
  const isTold = before.some(({ type }) => type === 'payment.completed');
  if (status !== 'COMPLETED' || isTold) return { ...event, data } as PaymentEvent;
  return { ...event, id: completionId, type: 'payment.completed', data } as PaymentEvent;
}
