import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { agree, ofNamed } from '../../../src/domain/proof/agree.ts';
import { afterBlocks, afterNothing, bounded, untilFinal } from '../../../src/domain/proof/ask-again.ts';
import { judgeOutput } from '../../../src/domain/proof/judge-output.ts';
import { matchCoin, matchToken, nearestFirst } from '../../../src/domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import type { ChainHead, ShownBlock, ShownReceipt, ShownTransfer } from '../../../src/domain/proof/shown.ts';

const TOKEN = `0x${'aa'.repeat(20)}`;
const RECIPIENT = `0x${'bb'.repeat(20)}`;
const ELSE = `0x${'cc'.repeat(20)}`;
const TX = `0x${'11'.repeat(32)}`;
const BLOCK_HASH = `0x${'22'.repeat(32)}`;
const SINCE = new Date('2026-11-26T12:00:00Z');
const NEEDED = 5;

const output: PromisedOutput = {
  chainId: 8453,
  token: TOKEN,
  recipient: RECIPIENT,
  leastAmount: 1_000n,
  txHashes: [TX],
  since: SINCE,
};

function transfer(fields: Partial<ShownTransfer> = {}): ShownTransfer {
  return {
    txHash: TX,
    blockNumber: 100,
    blockHash: BLOCK_HASH,
    logIndex: 0,
    token: TOKEN,
    to: RECIPIENT,
    amount: 1_000n,
    ...fields,
  };
}

function receipt(transfers: readonly ShownTransfer[], succeeded = true): ShownReceipt {
  return { txHash: TX, blockNumber: 100, blockHash: BLOCK_HASH, succeeded, gasUsed: 21_000n, transfers };
}

function blockAt(number: number, hash = BLOCK_HASH): ShownBlock {
  return { number, hash, at: new Date(SINCE.getTime() + number * 2_000) };
}

function judge(
  transfers: readonly ShownTransfer[],
  head: ChainHead = { latest: blockAt(200), final: 150 },
  { block = blockAt(100), source = 'a.example', promise = output } = {},
): OutputAnswer {
  const match = matchToken(promise, receipt(transfers));
  const shown = { source, match, blockNumber: 100, blockHash: BLOCK_HASH, block, head, needed: NEEDED };
  return judgeOutput(promise, shown);
}

describe('the judge of an output', () => {
  it.each([
    ['proven', [transfer()], undefined],
    ['proven', [transfer({ token: ELSE }), transfer({ logIndex: 1 })], undefined],
    ['contradicted', [transfer({ amount: 999n })], 'amount_short'],
    ['contradicted', [transfer({ amount: 600n }), transfer({ amount: 600n, logIndex: 1 })], 'amount_short'],
    ['contradicted', [transfer({ token: ELSE })], 'other_token'],
    ['contradicted', [transfer({ to: ELSE })], 'other_recipient'],
    ['contradicted', [transfer({ to: ELSE }), transfer({ token: ELSE, logIndex: 1 })], 'other_token'],
    ['contradicted', [transfer({ token: ELSE, to: ELSE })], 'output_missing'],
    ['contradicted', [transfer({ token: ELSE, amount: 0n })], 'output_missing'],
    ['contradicted', [], 'output_missing'],
  ])('says %s of %j', (state, transfers, reason) => {
    const answer = judge(transfers);
    expect(answer).toMatchObject(reason === undefined ? { state } : { state, reason });
    // The checks end with the one that fails.
    const failed = answer.checks.findIndex(({ passed }) => passed === false);
    if (failed >= 0) expect(answer.checks.slice(0, failed).every(({ passed }) => passed === true)).toBe(true);
  });

  it('never contradicts by a block that is not final, whatever is in it', () => {
    const heads = fc.record({
      latest: fc.integer({ min: 100, max: 5_000 }).map((number) => blockAt(number)),
      final: fc.option(fc.integer({ min: 0, max: 99 }), { nil: null }),
    });
    const logs = fc.array(
      fc.record({
        amount: fc.bigInt({ min: 0n, max: 2_000n }),
        token: fc.constantFrom(TOKEN, ELSE),
        to: fc.constantFrom(RECIPIENT, ELSE),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(heads, logs, (head, shown) => {
        const transfers = shown.map((fields, logIndex) => transfer({ ...fields, logIndex }));
        const answer = judge(transfers, head);
        expect(answer.state).not.toBe('contradicted');
        const fits = shown.some(
          ({ amount, token, to }) => amount >= 1_000n && token === TOKEN && to === RECIPIENT,
        );
        const isDeep = head.latest.number - 100 + 1 >= NEEDED;
        expect(answer.state).toBe(fits && isDeep ? 'proven' : 'inconclusive');
      }),
    );
  });

  it('says nothing where the block of that number is another one', () => {
    const block = blockAt(100, `0x${'33'.repeat(32)}`);
    for (const transfers of [[transfer()], []])
      expect(judge(transfers, undefined, { block })).toMatchObject({
        state: 'inconclusive',
        reason: 'block_replaced',
      });
  });

  it('proves by a final block before the confirmations are full, and by confirmations before it is final', () => {
    const instant = judge([transfer()], { latest: blockAt(100), final: 100 });
    expect(instant).toMatchObject({ state: 'proven', askAgainMs: null, transfers: [{ isFinal: true }] });
    const early = judge([transfer()], { latest: blockAt(104), final: 40 });
    // 60 blocks of 2 s until the newest final block has come as far.
    expect(early).toMatchObject({ state: 'proven', askAgainMs: 120_000, transfers: [{ confirmations: 5 }] });
    const shallow = judge([transfer()], { latest: blockAt(102), final: 40 });
    expect(shallow).toMatchObject({ reason: 'not_confirmed', askAgainMs: 4_000 });
  });

  it('offers the smallest sufficient transfer first, so that a larger one stays for who needs it', () => {
    const amounts = fc.uniqueArray(fc.bigInt({ min: 1n, max: 50n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(amounts, fc.infiniteStream(fc.nat()), (payments, random) => {
        // Each payment is paid exactly, and they are proven in any order.
        const logs = payments.map((amount, logIndex) => transfer({ amount, logIndex }));
        const order = payments.map((amount) => ({ amount, at: random.next().value as number }));
        const used = new Set<number | null>();
        for (const { amount } of order.toSorted((one, other) => one.at - other.at)) {
          const match = matchToken({ ...output, leastAmount: amount }, receipt(logs));
          const free =
            match.kind === 'fits' ? match.fitting.find(({ logIndex }) => !used.has(logIndex)) : undefined;
          expect(free).toBeDefined();
          used.add(free?.logIndex ?? null);
        }
      }),
    );
    const older = transfer({ blockNumber: 90, logIndex: 7 });
    expect(
      nearestFirst([transfer({ logIndex: 2 }), older, transfer()]).map(({ logIndex }) => logIndex),
    ).toEqual([7, 0, 2]);
  });

  it.each([
    ['fits', { to: RECIPIENT, value: 1_000n, isPlain: true, gained: null }, 1_000n],
    ['fits', { to: RECIPIENT, value: 1_000n, isPlain: false, gained: null }, 1_000n],
    ['fits', { to: ELSE, value: 0n, isPlain: false, gained: 1_000n }, 1_000n],
    ['unclear', { to: ELSE, value: 1_000n, isPlain: false, gained: 999n }, null],
    ['unclear', { to: ELSE, value: 1_000n, isPlain: false, gained: null }, null],
    ['unclear', { to: null, value: 1_000n, isPlain: false, gained: -5n }, null],
    ['amount_short', { to: RECIPIENT, value: 999n, isPlain: true, gained: null }, null],
    ['other_recipient', { to: ELSE, value: 1_000n, isPlain: true, gained: null }, null],
  ])('says %s of the coin %j', (said, coin, amount) => {
    const match = matchCoin({ ...output, token: null }, receipt([]), coin);
    expect(match.kind === 'differs' ? match.reason : match.kind).toBe(said);
    if (amount !== null) expect(match).toMatchObject({ fitting: [{ amount, logIndex: null }] });
    expect(matchCoin({ ...output, token: null }, receipt([], false), coin)).toMatchObject({
      reason: 'output_reverted',
    });
  });
});

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
      askAgainMs: 20_000,
      transfers: [{ confirmations: 21, isFinal: false }],
    });
    expect(agree([short, { ...short, sources: ['b.example'] }])).toMatchObject({ reason: 'amount_short' });
    for (const pair of [
      [proven, short],
      [short, proven],
      [short, missing],
      [proven, judge([transfer({ logIndex: 4 })])],
      [short, judge([transfer({ amount: 998n })])],
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
  });
});

describe('the next look', () => {
  it('comes after two seconds at least and five minutes at most', () => {
    expect([bounded(0), bounded(2_500.4), bounded(Infinity)]).toEqual([2_000, 2_500, 300_000]);
    const after = (seconds: number): number =>
      afterNothing(SINCE, new Date(SINCE.getTime() + seconds * 1_000));
    expect([0, 60, 600, 36_000].map(after)).toEqual([2_000, 6_000, 60_000, 300_000]);
  });

  it('comes when the missing blocks have passed', () => {
    const head = { latest: blockAt(110), final: 90 };
    expect(afterBlocks(10, blockAt(100), head)).toBe(20_000);
    expect(afterBlocks(3, blockAt(110), head)).toBe(6_000);
    expect(untilFinal(blockAt(100), head)).toBe(20_000);
    expect(untilFinal(blockAt(100), { ...head, final: null })).toBe(300_000);
  });
});
