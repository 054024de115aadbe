import { describe, expect, it } from '@jest/globals';

import { agree, ofNamed } from '../../../src/domain/proof/agree.ts';
import { afterBlocks, afterNothing, bounded, untilFinal } from '../../../src/domain/proof/ask-again.ts';
import { blockAt, judge, SINCE, transfer } from '../../support/chain/shown.ts';

describe('several answers', () => {
  const proven = judge([transfer()]);
  const short = judge([transfer({ amount: 999n })]);
  const missing = judge([]);
  const open = judge([transfer()], { latest: blockAt(101), final: 0 });

  it('of RPCs prove or contradict only where all say the same', () => {
    const other = judge([transfer()], { latest: blockAt(120), final: 90 }, { source: 'b.example' });
    expect(agree([proven, other])).toMatchObject({
      state: 'proven',
      sources: ['a.example', 'b.example'],
      askAgainMs: 28_000,
      transfers: [{ confirmations: 21, isFinal: false }],
    });
    expect(agree([short, { ...short, sources: ['b.example'] }])).toMatchObject({ reason: 'amount_short' });
    // Three of which two say the same are not enough.
    for (const three of [
      [proven, proven, short],
      [short, short, missing],
      [short, { ...short }, proven],
    ] as const)
      expect(agree(three)).toMatchObject({
        state: 'inconclusive',
        reason: 'rpcs_disagree',
        askAgainMs: 30_000,
      });
    expect(agree([missing, { ...missing, sources: ['b.example'] }])).toMatchObject({
      state: 'contradicted',
      reason: 'output_missing',
      sources: ['a.example', 'b.example'],
    });
    const final = { ...proven, sources: ['b.example'] };
    expect(agree([proven, final])).toMatchObject({
      state: 'proven',
      askAgainMs: null,
      transfers: [{ isFinal: true }],
    });
    const sooner = judge([transfer()], { latest: blockAt(120), final: 98 });
    expect(agree([other, sooner])).toMatchObject({ askAgainMs: 28_000 });
    for (const pair of [
      [proven, short],
      [short, proven],
      [short, missing],
      [proven, judge([transfer({ logIndex: 4 })])],
      [short, judge([transfer({ amount: 998n })])],
      [short, { ...short, transfer: null }],
      [missing, { ...short, reason: 'output_missing' }],
    ] as const)
      expect(agree(pair)).toMatchObject({ state: 'inconclusive', reason: 'rpcs_disagree', sources: [] });
    for (const pair of [
      [proven, open],
      [open, short],
    ] as const)
      expect(agree(pair)).toMatchObject({ state: 'inconclusive', reason: 'not_confirmed' });
  });

  it('of RPCs leave the transfers that all show', () => {
    const both = judge([transfer(), transfer({ logIndex: 3 })]);
    const one = judge([transfer({ logIndex: 3 })]);
    expect(agree([both, one])).toMatchObject({ transfers: [{ logIndex: 3 }] });
    expect(agree([both, one])).toHaveProperty('transfers.length', 1);
  });

  it('of named transactions prove by one, and contradict only where none is open', () => {
    expect(ofNamed([short, open, proven])).toBe(proven);
    expect(ofNamed([short, open])).toBe(open);
    expect(ofNamed([short, missing])).toBe(short);
    const other = judge([transfer({ logIndex: 7 })]);
    expect(ofNamed([proven, short, other])).toMatchObject({ transfers: [{ logIndex: 0 }, { logIndex: 7 }] });
  });
});

describe('the next inspection', () => {
  it('comes after two seconds at least and five minutes at most', () => {
    expect([bounded(0), bounded(2_500.6), bounded(Infinity)]).toEqual([2_000, 2_501, 300_000]);
    const after = (seconds: number): number =>
      afterNothing(SINCE, new Date(SINCE.getTime() + seconds * 1_000));
    expect([0, 60, 600, 36_000].map(after)).toEqual([2_000, 6_000, 60_000, 300_000]);
  });

  it('comes when the missing blocks have passed', () => {
    const head = { latest: blockAt(110), final: 90 };
    expect(afterBlocks(10, blockAt(100), head)).toBe(20_000);
    expect(afterBlocks(3, blockAt(110), head)).toBe(6_000);
    expect(afterBlocks(3, blockAt(112), head)).toBe(6_000);
    // Blocks that all have the time of the head, or a later one.
    expect(afterBlocks(3, { ...blockAt(100), at: head.latest.at }, head)).toBe(6_000);
    expect(afterBlocks(3, { ...blockAt(100), at: blockAt(120).at }, head)).toBe(6_000);
    expect(afterBlocks(1, { ...blockAt(109), at: blockAt(100).at }, head)).toBe(20_000);
    expect(afterBlocks(10_000, { ...blockAt(100), at: new Date(head.latest.at.getTime() - 1) }, head)).toBe(
      2_000,
    );
    expect(untilFinal(blockAt(100), head)).toBe(20_000);
    expect(untilFinal(blockAt(100), { ...head, final: null })).toBe(300_000);
  });
});
