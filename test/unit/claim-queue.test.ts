import { describe, expect, it } from '@jest/globals';

import type { Claim } from '../../src/ports/schedule.ts';
import { ClaimQueue } from '../../src/features/polling/claim-queue.ts';

const LIMITS = { maxConcurrency: 8, batchSize: 1, timeoutMs: 5_000, maxRpm: 0 };

function claims(count: number, urgency = 2): Claim[] {
  return Array.from(
    { length: count },
    (_, index) => ({ paymentId: String(index), urgency, nextInMs: 7_000 }) as unknown as Claim,
  );
}

describe('the queue of claims', () => {
  it('asks at first, and of a slow provider always, for what free readers can start at once', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    expect([queue.room(0), queue.room(5), queue.room(8)]).toEqual([8, 3, 0]);
    queue.noteRequest(2_000);
    expect(queue.room(6)).toBe(2);
  });

  it('asks a fast provider ahead, and not for a few at a time', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    queue.noteRequest(2);
    expect(queue.room(8)).toBe(96);
    queue.addClaims(claims(40), 0);
    expect(queue.room(8)).toBe(56);
    queue.addClaims(claims(10), 0);
    expect(queue.room(8)).toBe(0);
  });

  it('asks for fewer while changes wait for their commit, and for none beside many', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    expect([queue.room(0, 3), queue.room(0, 4)]).toEqual([2, 0]);
    queue.noteRequest(2);
    expect([queue.room(8, 0), queue.room(8, 20), queue.room(8, 30)]).toEqual([96, 56, 0]);
  });

  it('asks no further ahead than money in flight can wait for its request', () => {
    const FREE_IN_MS = 50;
    for (const requestMs of [2, 5, 10]) {
      const queue = new ClaimQueue(LIMITS, (nextInMs) => Math.min(nextInMs - 5_000, 1_000), 7_000);
      queue.noteRequest(requestMs);
      const inFlight = claims(queue.room(8), 0).map((claim) => ({ ...claim, nextInMs: 5_000 + FREE_IN_MS }));
      queue.addClaims(inFlight, 0);
      let polled = 0;
      for (let nowMs = requestMs; queue.size > 0; nowMs += requestMs)
        for (let reader = 0; reader < 8; reader += 1) polled += queue.next(nowMs).claims.length;
      expect([requestMs, polled]).toEqual([requestMs, inFlight.length]);
    }
  });

  it('asks a fast provider that reads large batches for as much as the queue holds', () => {
    const queue = new ClaimQueue({ ...LIMITS, maxConcurrency: 64, batchSize: 200 }, () => 1_000, 7_000);
    queue.noteRequest(2);
    expect(queue.room(0)).toBe(1_000);
    expect(queue.room(64)).toBe(1_000);
    queue.addClaims(claims(600), 0);
    expect(queue.room(0)).toBe(0);
  });

  it('follows the provider as it slows down', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    queue.noteRequest(5);
    for (let request = 0; request < 30; request += 1) queue.noteRequest(3_000);
    expect(queue.room(8)).toBe(0);
  });

  it('leaves a claim that waited too long', () => {
    const queue = new ClaimQueue({ ...LIMITS, batchSize: 3 }, () => 1_000, 7_000);
    queue.addClaims(claims(2), 0);
    queue.addClaims(claims(2), 500);
    expect(queue.next(1_200).claims).toHaveLength(2);
    expect([queue.next(1_200).claims, queue.size]).toEqual([[], 0]);
  });

  it('lets money in flight go first', () => {
    const queue = new ClaimQueue(LIMITS, () => 1_000, 7_000);
    queue.addClaims(claims(2), 0);
    queue.addClaims(claims(1, 0), 0);
    expect(queue.next(0).claims).toMatchObject([{ urgency: 0 }]);
    expect(queue.size).toBe(2);
  });

  it('leaves no more room for a wait than the time to the next poll has above the gap', () => {
    const queue = new ClaimQueue(LIMITS, (nextInMs) => nextInMs - 5_000, 7_000);
    queue.addClaims(claims(1), 0);
    expect(queue.next(200).claims).toHaveLength(1);
    const hurried = claims(1).map((claim) => ({ ...claim, nextInMs: 5_100 }));
    queue.addClaims(hurried, 0);
    expect(queue.next(200).claims).toEqual([]);
  });

  it('notes how long claims wait, money in flight apart from the others, and forgets it slowly', () => {
    const queue = new ClaimQueue(LIMITS, () => 50, 7_000);
    queue.addClaims([...claims(1, 0), ...claims(2)], 0);
    expect([queue.next(40), queue.next(200)].map(({ claims }) => claims.length)).toEqual([1, 0]);
    expect(queue.longestWaits(200).urgentMs).toBeCloseTo(39.3, 1);
    expect(queue.longestWaits(200).othersMs).toBe(200);
    queue.addClaims([], 1_200);
    queue.addClaims(claims(1, 0), 1_200);
    expect(queue.longestWaits(1_200).urgentMs).toBeCloseTo(35.4, 1);
    expect(queue.longestWaits(1_200).othersMs).toBeCloseTo(180);
  });

  it('forgets within half a minute that a claim had waited for too long', () => {
    const queue = new ClaimQueue(LIMITS, () => 50, 7_000);
    queue.addClaims(claims(1, 0), 0, 19_000);
    expect(queue.next(19_000).claims).toEqual([]);
    expect(queue.longestWaits(19_000)).toEqual({ urgentMs: 1_000, othersMs: 1_000 });
    expect(queue.longestWaits(49_000).urgentMs).toBeLessThan(50);
  });

  it('notes how long the statements of claims take, also of those that find nothing', () => {
    const queue = new ClaimQueue(LIMITS, () => 50, 7_000);
    queue.addClaims([], 0, 60);
    expect(queue.longestWaits(60)).toEqual({ urgentMs: 60, othersMs: 60 });
    queue.addClaims([], 1_055, 1_060);
    expect(queue.longestWaits(1_060).othersMs).toBeCloseTo(54);
  });
});
