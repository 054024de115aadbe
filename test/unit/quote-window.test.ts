import { describe, expect, it } from '@jest/globals';

import { pauseQuotes, takeQuote, type QuoteWindow } from '../../src/domain/rate-limit/quote-window.ts';

const NOW = 1_900_000_000_000;
const EMPTY: QuoteWindow = { takenAt: [], pausedUntil: 0 };

/** Asks at each of these instants; answers which were let through. */
function ask(instants: readonly number[], limit: number, from = EMPTY): number[] {
  let window = from;
  return instants.filter((at) => {
    const taken = takeQuote(window, at, limit);
    window = taken.window;
    return taken.waitMs === null;
  });
}

function mostInAMinute(instants: readonly number[]): number {
  return Math.max(
    ...instants.map((from) => instants.filter((at) => at >= from && at - from < 60_000).length),
  );
}

describe('the window of quotes', () => {
  it('lets a rush through at once, up to the limit, and gives the next the time to come again', () => {
    expect(ask(Array<number>(60).fill(NOW), 50)).toHaveLength(50);
    const full = { takenAt: Array.from({ length: 50 }, (_, index) => NOW + index * 100), pausedUntil: 0 };
    const { waitMs } = takeQuote(full, NOW + 10_000, 50);
    expect(takeQuote(full, NOW + 10_000 + (waitMs ?? 0) - 1, 50).waitMs).not.toBeNull();
    expect(takeQuote(full, NOW + 10_000 + (waitMs ?? 0), 50).waitMs).toBeNull();
  });

  it('never lets more than the limit through in any minute, however they come', () => {
    const instants = Array.from({ length: 2_000 }, (_, index) => NOW + index * 97 + ((index * 7919) % 90));
    const through = ask(
      instants.toSorted((a, b) => a - b),
      50,
    );
    expect(mostInAMinute(through)).toBe(50);
  });

  it('keeps a pause that the provider asked for, and no pause for ever', () => {
    const paused = pauseQuotes(EMPTY, 20_000, NOW);
    expect(takeQuote(paused, NOW + 5_000, 50).waitMs).toBe(15_000);
    expect(takeQuote(paused, NOW + 20_000, 50).waitMs).toBeNull();
    expect(takeQuote(pauseQuotes(EMPTY, 86_400_000, NOW), NOW, 50).waitMs).toBe(600_000);
    expect(pauseQuotes(paused, 1_000, NOW).pausedUntil).toBe(paused.pausedUntil);
  });

  it('outlives a clock that was put back', () => {
    const later = { takenAt: Array<number>(50).fill(NOW + 3_600_000), pausedUntil: NOW + 3_600_000 };
    expect(takeQuote(later, NOW, 50).waitMs).toBeNull();
  });

  it('lets nothing more through when the limit was lowered, until enough of the minute has passed', () => {
    const window = { takenAt: [NOW, NOW + 1_000, NOW + 2_000], pausedUntil: 0 };
    const { waitMs } = takeQuote(window, NOW + 3_000, 1);
    expect(takeQuote(window, NOW + 3_000 + (waitMs ?? 0), 1).waitMs).toBeNull();
    expect(takeQuote(window, NOW + 3_000 + (waitMs ?? 0) - 1, 1).waitMs).not.toBeNull();
  });

  it('counts a quote for 62 seconds, and asks nobody to come again within a second', () => {
    const full = { takenAt: [NOW], pausedUntil: 0 };
    expect(takeQuote(full, NOW + 60_000, 1).waitMs).toBe(2_000);
    expect(takeQuote(full, NOW + 61_999, 1).waitMs).toBe(1_000);
    expect(takeQuote(full, NOW + 62_000, 1).waitMs).toBeNull();
    expect(takeQuote({ takenAt: [], pausedUntil: NOW + 1 }, NOW, 1).waitMs).toBe(1_000);
  });
});
