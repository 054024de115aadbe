import { describe, expect, it } from '@jest/globals';

import { boundsOf } from '../../src/database/payments/list-bounds.ts';

const at = (ms: number): Date => new Date(ms);
const [createdAfter, createdBefore] = [at(10), at(20)];

describe('a page of the list of payments', () => {
  it('is bounded by the window alone at first', () => {
    for (const sort of ['newest', 'oldest'] as const)
      expect(boundsOf({ sort, createdAfter, createdBefore }, null)).toEqual([
        { sign: '>=', at: createdAfter, id: '0' },
        { sign: '<', at: createdBefore, id: '0' },
      ]);
    expect(boundsOf({}, null)).toEqual([]);
  });

  it('begins at its cursor, in the direction of the list', () => {
    const after = { createdUs: '15000', id: '7' };
    expect(boundsOf({ createdAfter, createdBefore }, after)).toEqual([
      { sign: '>=', at: createdAfter, id: '0' },
      { sign: '<', at: '15000', id: '7' },
    ]);
    expect(boundsOf({ sort: 'oldest', createdAfter, createdBefore }, after)).toEqual([
      { sign: '>=', at: '15000', id: '8' },
      { sign: '<', at: createdBefore, id: '0' },
    ]);
  });

  it('begins at the end of the window where the cursor is outside', () => {
    expect(boundsOf({ createdBefore }, { createdUs: '20000', id: '7' })).toEqual([
      { sign: '<', at: createdBefore, id: '0' },
    ]);
    expect(boundsOf({ sort: 'oldest', createdAfter }, { createdUs: '9999', id: '7' })).toEqual([
      { sign: '>=', at: createdAfter, id: '0' },
    ]);
    expect(boundsOf({ sort: 'oldest', createdAfter }, { createdUs: '10000', id: '7' })).toEqual([
      { sign: '>=', at: '10000', id: '8' },
    ]);
  });
});
