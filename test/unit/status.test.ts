import { readdir, readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { isFinal, isPaid, isWatched, judgeMove, STATUSES } from '../../src/domain/payment/status.ts';

const DATABASE = new URL('../../src/database/', import.meta.url);

describe('the statuses', () => {
  it('are written out in no statement of SQL: the table alone says which of them are final', async () => {
    const files = (await readdir(DATABASE, { recursive: true })).filter((file) => /\.(sql|ts)$/.test(file));
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, DATABASE), 'utf8')));
    const named = files.filter((_file, index) =>
      STATUSES.some((status) => texts[index]?.includes(`'${status}'`)),
    );
    expect(files).toContain('functions/record_polls.sql');
    expect(named).toEqual([]);
  });

  it('say that a deposit came, but for the two that still wait for one', () => {
    expect(STATUSES.filter((status) => !isPaid(status))).toEqual(['AWAITING_DEPOSIT', 'EXPIRED']);
  });

  it('move nowhere from a final one, and on from every other one', () => {
    for (const from of STATUSES) {
      const moves = STATUSES.filter((to) => to !== from).map((to) => judgeMove(from, to));
      if (isFinal(from)) expect(new Set(moves)).toEqual(new Set(['after_completed']));
      else expect(moves).toContain(isWatched(from) ? 'late' : 'forward');
    }
  });
});
