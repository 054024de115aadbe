import { describe, expect, it } from '@jest/globals';

import { firstSteps, isAnybodyTold } from '../../src/features/attention/attention-reader.ts';
import { destinationFacts } from '../support/destination-facts.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
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
