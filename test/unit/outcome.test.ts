import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { anomalyOf, outcomeOf, readAnomaly, type Moved } from '../../src/domain/payment/outcome.ts';

const moved = fc.record({ hasOutput: fc.boolean(), isShort: fc.boolean(), hasRefund: fc.boolean() });

describe("what a provider's success stands for", () => {
  it.each<[string, Partial<Moved>, boolean, string | null, string | null]>([
    ['an output', { hasOutput: true }, false, 'COMPLETED', null],
    [
      'an output, and what was too much went back',
      { hasOutput: true, hasRefund: true },
      true,
      'COMPLETED',
      null,
    ],
    ['a refund without an output', { hasRefund: true, isShort: true }, false, 'FAILED', null],
    ['the word alone', {}, false, null, null],
    ['less than promised', { hasOutput: true, isShort: true }, true, 'COMPLETED', 'short_output'],
    [
      'a part, and a part back',
      { hasOutput: true, isShort: true, hasRefund: true },
      false,
      'COMPLETED',
      'partly_refunded',
    ],
    [
      'the same where that is a failure',
      { hasOutput: true, isShort: true, hasRefund: true },
      true,
      'FAILED',
      null,
    ],
  ])('is, by %s', (_what, facts, failsPartial, status, anomaly) => {
    const all = { hasOutput: false, isShort: false, hasRefund: false, ...facts };
    expect(outcomeOf(all, failsPartial)).toEqual({ status, anomaly });
  });

  it('is never COMPLETED without an output', () => {
    fc.assert(
      fc.property(moved, fc.boolean(), (facts, failsPartial) => {
        if (outcomeOf(facts, failsPartial).status === 'COMPLETED') expect(facts.hasOutput).toBe(true);
      }),
    );
  });

  it('stands in a report as the word for what is odd, and any other word says nothing', () => {
    const outcome = outcomeOf({ hasOutput: true, isShort: true, hasRefund: true }, false);
    expect(readAnomaly(anomalyOf(outcome).anomaly)).toBe('partly_refunded');
    for (const other of ['went_back', '', null, undefined, 7, {}]) expect(readAnomaly(other)).toBeNull();
  });
});
