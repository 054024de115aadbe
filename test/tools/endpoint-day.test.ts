import { describe, expect, it } from '@jest/globals';

import { type Answer, EndpointDay, HOUR, MINUTE, PATIENCE_MS, SECOND } from '../support/endpoint-day.ts';

const UNTRIED_WITHIN_MS = 10 * SECOND;

/** Event n+1 is tried once n was taken, or once the patience of the lane is over. */
function checkOrder(day: EndpointDay): void {
  const taken = new Map<string, Set<number>>();
  const firstFailure = new Map<string, number>();
  for (const { quoteId, sequence, at, answer } of day.attempts) {
    const done = taken.get(quoteId) ?? new Set();
    const isOver = at >= (firstFailure.get(quoteId) ?? Infinity) + PATIENCE_MS;
    const missing = Array.from({ length: sequence - 1 }, (_, index) => index + 1).filter((n) => !done.has(n));
    if (!isOver) expect(missing).toEqual([]);
    if (answer === 'takes') taken.set(quoteId, done.add(sequence));
    else if (!firstFailure.has(quoteId)) firstFailure.set(quoteId, at);
  }
}

describe('a shop that takes only the last event of a payment', () => {
  it('gets it when the patience is over, behind 100 refused ones', async () => {
    const refused = 100;
    const last = refused + 1;
    const day = new EndpointDay((_, sequence) => (sequence === last ? 'takes' : 'refuses'));
    day.pay('A-17', 0, last, 20);
    await day.run(PATIENCE_MS + MINUTE);
    const [first] = day.attempts;
    expect(day.firstTry('A-17', last) - (first?.at ?? 0)).toBeLessThanOrEqual(PATIENCE_MS + SECOND);
    expect(day.waitOf('A-17', last)).toBeLessThan(PATIENCE_MS + 2 * SECOND);
    checkOrder(day);
  });
});

describe('a shop that takes only the last event, of many payments', () => {
  it('gets each within 10 s of the end of its patience, though its circuit is open', async () => {
    const day = new EndpointDay((_, sequence) => (sequence === 4 ? 'takes' : 'refuses'));
    for (let n = 0; n < 30; n += 1) day.pay(String(n), n * 20 * SECOND, 4, SECOND);
    await day.run(HOUR);
    for (let n = 0; n < 30; n += 1)
      expect(day.firstTry(String(n), 4)).toBeLessThanOrEqual(n * 20 * SECOND + PATIENCE_MS + 30 * SECOND);
    expect(day.attempts.some(({ isOpen }) => isOpen)).toBe(true);
    checkOrder(day);
  });
});

describe('a shop that is well but refuses some orders', () => {
  const refusesBad = (quoteId: string): Answer => (quoteId.startsWith('bad') ? 'refuses' : 'takes');

  it.each([1, 20])('gets all others within 10 s, at rest and under load: %i refused', async (refused) => {
    const day = new EndpointDay(refusesBad);
    for (let n = 0; n < refused; n += 1) day.pay(`bad-${n}`, n * 50);
    const good: string[] = [];
    const pay = (at: number): void => {
      good.push(`good-${good.length}`);
      day.pay(good.at(-1) as string, at, 4, 7 * SECOND);
    };
    // A shop at rest has a payment every few minutes for an hour, and then forty a minute.
    for (let at = 10 * SECOND; at < HOUR; at += 7 * MINUTE) pay(at);
    for (let at = HOUR; at < HOUR + 10 * MINUTE; at += 1_500) pay(at);
    await day.run(HOUR + 15 * MINUTE);
    const waits = good.flatMap((quoteId) => [1, 2, 3, 4].map((sequence) => day.waitOf(quoteId, sequence)));
    expect(Math.max(...waits)).toBeLessThanOrEqual(UNTRIED_WITHIN_MS);
    checkOrder(day);
  });
});

describe('eight hours of an endpoint with 300 payments, refusals, silence and outages, and two replicas', () => {
  const OUTAGES: readonly (readonly [Answer, number, number])[] = [
    ['off', HOUR, HOUR + 40 * MINUTE],
    ['silent', 3 * HOUR, 3 * HOUR + 10 * MINUTE],
    ['refuses', 5 * HOUR, 5 * HOUR + 2 * MINUTE],
  ];

  it('tells everything that the shop takes, in order, and asks a shop that is down one thing at a time', async () => {
    const day = new EndpointDay((quoteId, _, at) => {
      const outage = OUTAGES.find(([, from, until]) => at >= from && at < until);
      return outage?.[0] ?? (Number(quoteId) % 60 === 7 ? 'refuses' : 'takes');
    });
    for (let n = 0; n < 300; n += 1) day.pay(String(n), (n * 6 * HOUR) / 300);
    await day.run(8 * HOUR);
    const untold = [...day.recorded].filter(([, { toldAt }]) => toldAt === null).map(([key]) => key);
    expect(untold.map((key) => Number(key.split('#')[0]) % 60)).toEqual(Array(20).fill(7));
    expect(day.mostWhileOpen).toBe(1);
    const open = day.attempts.filter(({ isOpen }) => isOpen).map(({ at }) => at);
    for (const [index, at] of open.slice(1).entries())
      expect(at - (open[index] ?? 0)).toBeGreaterThanOrEqual(4_900);
    checkOrder(day);
  });
});
