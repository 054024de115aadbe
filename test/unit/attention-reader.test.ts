import { describe, expect, it } from '@jest/globals';

import { type AttentionReading, itemsOf } from '../../src/features/attention/attention-reader.ts';
import type { TroubledEndpoint, TroubledEndpoints } from '../../src/ports/attention.ts';
import type { Untold, UntoldAt } from '../../src/ports/untold.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const EARLIER = new Date('2026-11-20T11:00:00.000Z');
const NO_SUMS = { count: 0, isMore: false, sums: [], otherTokens: 0 };

const at = (id: string, count: number, since: Date | null = NOON, isMore = false): UntoldAt => ({
  destination: { id, kind: 'webhook', name: `shop ${id}` },
  count,
  isMore,
  since,
});

const endpoint = (id: string): TroubledEndpoint => ({
  id,
  url: `https://${id}.example`,
  description: null,
  circuit: 'open',
  failingSince: NOON,
  disabledReason: null,
});

const troubled = (...ids: string[]): TroubledEndpoints => ({
  count: ids.length,
  since: NOON,
  endpoints: ids.map(endpoint),
  unacknowledged: NO_SUMS,
});

function reading(destinations: readonly UntoldAt[], failing: readonly string[] = []): AttentionReading {
  const untold: Untold = { count: 5, isMore: false, since: EARLIER, destinations };
  return {
    checkedAt: NOON,
    untold: destinations.length === 0 ? { ...untold, count: 0, since: null } : untold,
    disabled: troubled(),
    failing: troubled(...failing),
    destinations: [],
    others: [],
    inFlight: NO_SUMS,
    replicas: [],
  };
}

const shown = (items: ReturnType<typeof itemsOf>): unknown[] =>
  items.map(({ code, count, isMore, since }) => [code, count, isMore, since]);

describe('what an endpoint may be told', () => {
  it('is everything that is not about it', () => {
    const all = reading([at('a', 3), at('b', 4, EARLIER)], ['a', 'b']);
    expect(shown(itemsOf(all))).toEqual([
      ['undelivered', 5, false, EARLIER],
      ['endpoints_failing', 2, false, NOON],
    ]);
    expect(itemsOf(all, 'c')).toEqual(itemsOf(all));
  });

  it('leaves it out of what is about several', () => {
    const items = itemsOf(reading([at('a', 3), at('b', 4, EARLIER)], ['a', 'b']), 'a');
    expect(shown(items)).toEqual([
      ['undelivered', 4, false, EARLIER],
      ['endpoints_failing', 1, false, NOON],
    ]);
    expect(items.map(({ detail }) => detail).join()).not.toContain('shop a');
    expect(items.flatMap(({ endpoints }) => endpoints.map(({ id }) => id))).toEqual(['b']);
  });

  it('is nothing that is about it alone', () => {
    expect(itemsOf(reading([at('a', 5)], ['a']), 'a')).toEqual([]);
  });

  it('counts payments that the others may share as those of the largest, at least', () => {
    const items = itemsOf(reading([at('a', 3), at('b', 4, null), at('c', 2, EARLIER)]), 'a');
    expect(shown(items)).toEqual([['undelivered', 4, true, EARLIER]]);
    const more = itemsOf(reading([at('a', 3), at('b', 10_000, NOON, true)]), 'a');
    expect(shown(more)).toEqual([['undelivered', 10_000, true, NOON]]);
  });
});
