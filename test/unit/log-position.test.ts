import { describe, expect, it } from '@jest/globals';

import { cursorOf, isAfter, LOG_START, parseCursor } from '../../src/domain/event/log-position.ts';

const at = (rank: bigint, position: bigint): { rank: bigint; position: bigint } => ({ rank, position });

describe('a position in the log', () => {
  it('is after another by its rank first, and by its position within a rank', () => {
    expect(isAfter(at(2n, 1n), at(1n, 9n))).toBe(true);
    expect(isAfter(at(1n, 9n), at(2n, 1n))).toBe(false);
    expect(isAfter(at(1n, 2n), at(1n, 1n))).toBe(true);
    expect(isAfter(at(1n, 1n), at(1n, 2n))).toBe(false);
    expect(isAfter(at(1n, 1n), at(1n, 1n))).toBe(false);
  });

  it('begins before every event', () => {
    expect(cursorOf(LOG_START)).toBe('0-0');
    expect(isAfter(at(0n, 1n), LOG_START)).toBe(true);
  });
});

describe('a cursor', () => {
  it('leads back to its position, whatever the size of the numbers', () => {
    const position = at(123456789012345678n, 987654321098765432n);
    expect(parseCursor(cursorOf(position))).toEqual(position);
  });

  it.each([
    '',
    '1',
    '1-',
    '-1',
    '1-2-3',
    'a1-2',
    '1-2b',
    '1-x',
    ' 1-2',
    `${'9'.repeat(19)}-1`,
    `1-${'9'.repeat(19)}`,
  ])('is not %j', (text) => {
    expect(parseCursor(text)).toBeNull();
  });
});
