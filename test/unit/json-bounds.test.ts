import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { exceededBound } from '../../src/domain/text/json-bounds.ts';

const boundOf = (json: string, depth: number, values: number): string | null =>
  exceededBound(new TextEncoder().encode(json), { depth, values });

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** The members and elements of all levels; an empty object or array counts as one. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, each) => sum + valuesOf(each), Math.max(inner.length, 1));
}

describe('the bounds of JSON', () => {
  it.each([
    ['[[[1]]]', 3, 9, null],
    ['[[[1]]]', 2, 9, 'depth'],
    ['{"a":{"b":[]}}', 2, 9, 'depth'],
    ['[[],[],[]]', 2, 9, null],
    ['[1,2,3]', 1, 3, null],
    ['[1,2,3,4]', 1, 3, 'values'],
    ['{"a":1,"b":[2,3]}', 2, 4, null],
    ['{"a":1,"b":[2,3]}', 2, 3, 'values'],
    ['1', 0, 0, null],
    ['', 0, 0, null],
  ])('of %s with a depth of %i and %i values: %s', (json, depth, values, bound) => {
    expect(boundOf(json, depth, values)).toBe(bound);
  });

  it.each([
    ['brackets', '["[[[{{{"]'],
    ['commas', '["a,b,c,d"]'],
    ['escaped quotation marks', String.raw`["\",[[[,,,\\\"[,["]`],
    ['a backslash at the end', String.raw`["\\"]`],
  ])('do not count %s in a text', (_what, json) => {
    expect(boundOf(json, 1, 1)).toBeNull();
  });

  it('count what follows a text', () => {
    expect(boundOf(String.raw`["\\",[1]]`, 1, 9)).toBe('depth');
    expect(boundOf(String.raw`["a",1]`, 1, 1)).toBe('values');
  });

  it('end a scan of what is cut off within a text', () => {
    expect(boundOf('["abc', 1, 1)).toBeNull();
    expect(boundOf('["abc\\', 1, 1)).toBeNull();
  });

  it('are exactly those of the value', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      const [depth, values] = [depthOf(value), valuesOf(value)];
      expect(boundOf(json, depth, values)).toBeNull();
      if (depth > 0) expect(boundOf(json, depth - 1, values)).toBe('depth');
      if (values > 0) expect(boundOf(json, depth, values - 1)).toBe('values');
    });
    fc.assert(property, { seed: 1, numRuns: 200 });
  });
});
