import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  changesOf,
  SAME_AGAIN_AFTER_MS,
  type ToldCode,
} from '../../src/domain/attention/attention-changes.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const MINUTE_MS = 60_000;

/** Plays looks, a minute apart: what an endpoint is told at each. */
function told(looks: readonly (readonly string[])[], everyMs = MINUTE_MS): string[] {
  let known: ToldCode[] = [];
  return looks.flatMap((open, index) => {
    const changes = changesOf(known, open, new Date(NOON + index * everyMs));
    known = [
      ...known.filter(({ code }) => !changes.some((change) => change.told.code === code)),
      ...changes.map((change) => change.told),
    ];
    return changes.map((change) => `${index} ${change.type.replace('attention.', '')} ${change.told.code}`);
  });
}

describe('what an endpoint is told of what needs a person', () => {
  it('is each code once when it opens and once when it closes', () => {
    expect(told([[], ['a'], ['a'], ['a', 'b'], ['b'], []])).toEqual([
      '1 opened a',
      '3 opened b',
      '4 closed a',
      '5 closed b',
    ]);
  });

  it('knows when it was told', () => {
    const [change] = changesOf([], ['a'], new Date(NOON));
    expect(change?.told).toEqual({ code: 'a', isOpen: true, openedAt: new Date(NOON), closedAt: null });
    const later = new Date(NOON + 1);
    const [closed] = changesOf(change === undefined ? [] : [change.told], [], later);
    expect(closed?.told).toEqual({ code: 'a', isOpen: false, openedAt: new Date(NOON), closedAt: later });
  });

  it('is not again within five minutes that a code opened, and then what is true', () => {
    expect(told([['a'], [], ['a'], ['a'], ['a'], ['a']])).toEqual(['0 opened a', '1 closed a', '5 opened a']);
  });

  it('is nothing of a change that was undone before it could be told', () => {
    expect(told([['a'], [], ['a'], [], [], [], [], []])).toEqual(['0 opened a', '1 closed a']);
    expect(told([['a'], [], ['a'], [], [], ['a'], []])).toEqual([
      '0 opened a',
      '1 closed a',
      '5 opened a',
      '6 closed a',
    ]);
  });

  it('is at most one of a code and type in five minutes, and in the end what is true', () => {
    const looks = fc.array(fc.subarray(['a', 'b']), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(looks, fc.integer({ min: 1_000, max: 4 * MINUTE_MS }), (played, everyMs) => {
        const rest = Array.from(
          { length: Math.ceil(SAME_AGAIN_AFTER_MS / everyMs) + 1 },
          () => played.at(-1) ?? [],
        );
        const all = told([...played, ...rest], everyMs).map((line) => {
          const [at = '', type = '', code = ''] = line.split(' ');
          return { atMs: Number(at) * everyMs, type, code };
        });
        for (const [index, { atMs, type, code }] of all.entries())
          for (const next of all.slice(index + 1))
            if (next.type === type && next.code === code)
              expect(next.atMs - atMs).toBeGreaterThanOrEqual(SAME_AGAIN_AFTER_MS);
        for (const code of ['a', 'b']) {
          const last = all.findLast((each) => each.code === code)?.type ?? 'closed';
          expect(last).toBe((played.at(-1) ?? []).includes(code) ? 'opened' : 'closed');
        }
      }),
    );
  });
});
