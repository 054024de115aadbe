import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  inconclusive,
  judgeAgain,
  judgeReorg,
  judgeShallow,
} from '../../../src/domain/proof/judge-output.ts';
import {
  fittingOf,
  isEnough,
  matchCoin,
  matchToken,
  nearestFirst,
} from '../../../src/domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput, SeenTransfer } from '../../../src/domain/proof/output.ts';
import { type ChainHead, depthOf, type ShownCoin, type ShownGain } from '../../../src/domain/proof/shown.ts';
import {
  BLOCK_HASH,
  blockAt,
  ELSE,
  judge,
  NEEDED,
  output,
  PAYER,
  receipt,
  RECIPIENT,
  SINCE,
  TOKEN,
  transfer,
  TX,
} from '../../support/chain/shown.ts';

/** The passed checks, and the failed one with its text. */
function told({ checks }: OutputAnswer): { passed: string[]; failed: string | undefined; detail: string } {
  const failed = checks.find(({ passed }) => passed === false);
  const passed = checks.filter((check) => check.passed === true).map(({ name }) => name);
  return { passed, failed: failed?.name, detail: failed?.detail ?? '' };
}

describe('the judge of an output', () => {
  const sound = ['chain_id', 'receipt'];
  it.each([
    [
      [transfer({ amount: 999n })],
      'amount_short',
      'amount',
      [...sound, 'token', 'recipient'],
      999n,
      /brings 999, and at least 1000 was/,
    ],
    [
      [transfer({ amount: 600n }), transfer({ amount: 700n, logIndex: 1 })],
      'amount_short',
      'amount',
      [...sound, 'token', 'recipient'],
      700n,
      /brings 700/,
    ],
    [[transfer({ token: ELSE })], 'other_token', 'token', sound, 1_000n, /gets another token than/],
    [[transfer({ token: ELSE, amount: 1n })], 'other_token', 'token', sound, 1n, /gets another token than/],
    [
      [transfer({ to: ELSE })],
      'other_recipient',
      'recipient',
      [...sound, 'token'],
      1_000n,
      /None of it goes to/,
    ],
    [
      [transfer({ to: ELSE }), transfer({ token: ELSE, logIndex: 1 })],
      'other_token',
      'token',
      sound,
      1_000n,
      /another token/,
    ],
    [
      [transfer({ token: ELSE, to: ELSE })],
      'output_missing',
      'token',
      sound,
      null,
      /moves none of the token/,
    ],
    [[transfer({ token: ELSE, amount: 0n })], 'output_missing', 'token', sound, null, /moves none/],
    [[], 'output_missing', 'token', sound, null, /moves none/],
    [
      [transfer({ from: RECIPIENT })],
      'output_missing',
      'recipient',
      [...sound, 'token'],
      null,
      /comes from 0xb+ itself/,
    ],
    [
      [transfer(), transfer({ from: RECIPIENT, to: ELSE, logIndex: 1 })],
      'amount_short',
      'amount',
      [...sound, 'token', 'recipient'],
      0n,
      /brings 0, and/,
    ],
    [
      [transfer({ amount: 1_500n }), transfer({ from: RECIPIENT, to: ELSE, amount: 600n, logIndex: 1 })],
      'amount_short',
      'amount',
      [...sound, 'token', 'recipient'],
      900n,
      /brings 900, and/,
    ],
  ] as const)('contradicts by %j: %s', (transfers, reason, failed, passed, amount, detail) => {
    const answer = judge(transfers);
    expect(answer).toMatchObject({ state: 'contradicted', reason, sources: ['a.example'] });
    expect(answer).toHaveProperty(
      'transfer',
      amount === null ? null : expect.objectContaining({ amount, isFinal: true }),
    );
    expect(told(answer)).toEqual({
      passed: [...passed, 'time', 'confirmations'],
      failed,
      detail: expect.stringMatching(detail),
    });
  });

  it.each([
    [[transfer()], 0],
    [[transfer({ token: ELSE }), transfer({ logIndex: 1 })], 1],
    [[transfer({ amount: 0n }), transfer({ amount: 1_500n, logIndex: 2 })], 2],
    [[transfer({ from: RECIPIENT }), transfer({ logIndex: 3 })], 3],
    [[transfer({ amount: 1_700n }), transfer({ from: RECIPIENT, to: ELSE, amount: 700n, logIndex: 1 })], 0],
  ])('proves by %j', (transfers, logIndex) => {
    const answer = judge(transfers);
    expect(answer).toMatchObject({
      state: 'proven',
      transfers: [{ logIndex, txHash: TX, blockHash: BLOCK_HASH }],
    });
    expect(told(answer)).toMatchObject({
      failed: undefined,
      passed: expect.arrayContaining(['amount', 'time']),
    });
    expect(answer.checks.find(({ name }) => name === 'unused')).toMatchObject({ passed: null });
    // A search gets all transfers of the token to the recipient, its own ones too.
    const ofToken = transfers.filter(({ token }) => token === TOKEN);
    const received = ofToken.filter(({ to }) => to === RECIPIENT);
    expect(fittingOf(output, received, ofToken)).toMatchObject([{ logIndex }]);
  });

  it('counts the transfers of the token to the recipient, which stay in order where the transaction is mined again', () => {
    const mined = (first: number): (number | undefined)[] => {
      const others = [
        transfer({ to: ELSE, logIndex: first }),
        transfer({ token: ELSE, logIndex: first + 1 }),
      ];
      const none = transfer({ amount: 0n, logIndex: first + 2 });
      const enough = [transfer({ logIndex: first + 3 }), transfer({ logIndex: first + 6 })];
      const answer = judge([...others, none, ...enough]);
      return answer.state === 'proven' ? answer.transfers.map(({ ordinal }) => ordinal) : [];
    };
    expect([mined(0), mined(11)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('contradicts by a transaction that failed, and by one that is older than the quote', () => {
    const failed = matchToken(output, receipt([transfer()], false));
    expect(failed).toEqual({ kind: 'differs', failed: 'receipt', reason: 'output_reverted', nearest: null });
    const early = (ms: number): OutputAnswer =>
      judge([transfer()], undefined, { block: { ...blockAt(100), at: new Date(SINCE.getTime() - ms) } });
    expect(early(15_000)).toMatchObject({ state: 'proven' });
    expect(early(15_001)).toMatchObject({
      state: 'contradicted',
      reason: 'output_missing',
      transfer: { amount: 1_000n },
    });
    expect(told(early(15_001))).toMatchObject({ failed: 'time' });
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
    // 60 blocks of 2 s until the newest final block has reached this one, and the time until the next read of it.
    expect(early).toMatchObject({ state: 'proven', askAgainMs: 128_000, transfers: [{ confirmations: 5 }] });
    // Simulates a chain that needs a quarter of an hour, whose final block was last read long ago.
    const base = judge([transfer()], { latest: blockAt(105), final: 3, finalLag: 455 });
    expect(base).toMatchObject({ state: 'proven', askAgainMs: 908_000 });
    const shallow = judge([transfer()], { latest: blockAt(102), final: 40 });
    expect(shallow).toMatchObject({ reason: 'not_confirmed', askAgainMs: 4_000 });
  });

  it('offers the smallest sufficient transfer first, so that a larger one stays for who needs it', () => {
    const amounts = fc.uniqueArray(fc.bigInt({ min: 1n, max: 50n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(amounts, fc.infiniteStream(fc.nat()), (payments, random) => {
        // The sum is exact for each payment, which are proven in any order.
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
    const placed = nearestFirst([
      transfer({ logIndex: 2 }),
      older,
      transfer(),
      transfer({ logIndex: 1, amount: 5n }),
    ]);
    expect(placed.map(({ logIndex }) => logIndex)).toEqual([1, 7, 0, 2]);
  });

  it('waits for a block that is not deep enough without having seen it', () => {
    const shallow = (transfers: Parameters<typeof judge>[0], head: ChainHead): OutputAnswer =>
      judgeShallow(output, {
        source: 'a.example',
        match: matchToken(output, receipt(transfers)),
        blockNumber: 100,
        head,
        needed: NEEDED,
      });
    const head = { latest: blockAt(101), final: 41 };
    const fits = shallow([transfer()], head);
    expect(fits).toMatchObject({ state: 'inconclusive', reason: 'not_confirmed', askAgainMs: 6_000 });
    expect(told(fits)).toMatchObject({
      failed: 'confirmations',
      detail: 'Its block is 2 blocks deep, 5 are needed.',
    });
    expect(told(shallow([transfer()], { ...head, latest: blockAt(100) }))).toMatchObject({
      detail: 'Its block is 1 block deep, 5 are needed.',
    });
    expect(shallow([], head)).toMatchObject({
      reason: 'not_final',
      askAgainMs: 120_000,
      sources: ['a.example'],
    });
    expect(shallow([], { ...head, final: null })).toMatchObject({ reason: 'not_final', askAgainMs: 10_000 });
  });

  it('proves again by the hash of the block, and sees by a final one that it was replaced', () => {
    const provenBy: SeenTransfer = { ...transfer(), confirmations: 5, isFinal: false };
    const shown = { provenBy, source: 'a.example', needed: NEEDED };
    const final = { latest: blockAt(200), final: 100 };
    const open = { latest: blockAt(200), final: 99 };
    const same = { ...shown, block: blockAt(100) };
    expect(judgeAgain(output, { ...same, head: final })).toMatchObject({
      state: 'proven',
      askAgainMs: null,
      transfers: [{ txHash: TX, logIndex: 0, confirmations: 101, isFinal: true }],
    });
    expect(judgeAgain(output, { ...same, head: open })).toMatchObject({
      state: 'proven',
      askAgainMs: 10_000,
    });
    const other = { ...shown, block: blockAt(100, `0x${'33'.repeat(32)}`) };
    expect(judgeAgain(output, { ...other, head: final })).toBeNull();
    const reorged = judgeReorg(output, { ...other, head: final });
    expect(reorged).toMatchObject({
      state: 'contradicted',
      reason: 'output_reorged',
      transfer: provenBy,
      sources: ['a.example'],
    });
    expect(told(reorged)).toMatchObject({ failed: 'receipt', passed: ['chain_id', 'confirmations'] });
    expect(judgeReorg(output, { ...other, head: open })).toMatchObject({
      state: 'inconclusive',
      reason: 'not_final',
      askAgainMs: 2_000,
    });
  });

  it('says nothing without a source, and never asks again where that would not help', () => {
    expect(inconclusive('no_witness', null, { source: null, checks: [] })).toEqual({
      state: 'inconclusive',
      reason: 'no_witness',
      askAgainMs: null,
      checks: [],
      sources: [],
    });
    expect(inconclusive('rpc_away', 5_000, { source: 'a.example', checks: [] })).toMatchObject({
      askAgainMs: 5_000,
      sources: ['a.example'],
    });
  });

  it('counts the block itself, and none above the head', () => {
    const depth = (number: number, final: number | null = null): unknown =>
      depthOf(number, { latest: blockAt(100), final }, NEEDED);
    expect(depth(100)).toEqual({ confirmations: 1, needed: 5, isConfirmed: false, isFinal: false });
    expect(depth(101)).toMatchObject({ confirmations: 0 });
    expect(depth(97)).toMatchObject({ confirmations: 4, isConfirmed: false });
    expect(depth(96)).toMatchObject({ confirmations: 5, isConfirmed: true, isFinal: false });
    expect(depth(100, 99)).toMatchObject({ isConfirmed: false, isFinal: false });
    expect(depth(100, 100)).toMatchObject({ isConfirmed: true, isFinal: true });
  });

  const gain = (byContracts: bigint, more: Partial<ShownGain> = {}): ShownGain => ({
    inAll: byContracts,
    byContracts,
    payers: 1,
    ...more,
  });
  const plain = { from: PAYER, to: RECIPIENT, value: 1_000n, isPlain: true, gain: null };
  const direct = { ...plain, isPlain: false };
  const through = { ...direct, to: ELSE };
  it.each<[said: string, coin: ShownCoin, amount: bigint | null]>([
    ['fits', plain, 1_000n],
    ['amount_short', { ...plain, value: 999n }, null],
    ['other_recipient', { ...plain, to: ELSE }, null],
    ['output_missing', { ...plain, from: RECIPIENT }, null],
    ['output_missing', { ...direct, from: RECIPIENT, gain: gain(0n) }, null],
    // A contract that keeps the money, and a contract that passes it on.
    ['fits', direct, 1_000n],
    ['fits', { ...direct, gain: gain(0n, { inAll: 1_000n }) }, 1_000n],
    ['unclear', { ...direct, gain: gain(0n) }, null],
    ['unclear', { ...direct, gain: gain(-1_000n, { inAll: 1_000n }) }, null],
    ['unclear', { ...direct, value: 999n, gain: gain(999n) }, null],
    ['fits', { ...through, gain: gain(1_000n) }, 1_000n],
    ['unclear', { ...through, gain: gain(999n) }, null],
    ['unclear', { ...through, gain: null }, null],
    ['unclear', { ...through, to: null, gain: gain(-5n) }, null],
    ['unclear', { ...through, gain: gain(0n, { inAll: 1_000n }) }, null],
    ['unclear', { ...through, gain: gain(1_000n, { payers: 0 }) }, null],
    ['unclear', { ...through, gain: gain(1_999n, { payers: 2 }) }, null],
    ['fits', { ...through, gain: gain(2_000n, { payers: 2 }) }, 2_000n],
  ])('says %s of the coin %j', (said, coin, amount) => {
    const match = matchCoin({ ...output, token: null }, receipt([]), coin);
    expect(match.kind === 'differs' ? match.reason : match.kind).toBe(said);
    if (match.kind === 'differs') expect(match.failed).toBe(said === 'amount_short' ? 'amount' : 'recipient');
    if (amount !== null) expect(match).toMatchObject({ fitting: [{ amount, logIndex: null }] });
    expect(matchCoin({ ...output, token: null }, receipt([], false), coin)).toMatchObject({
      reason: 'output_reverted',
    });
  });

  it('takes nothing for no amount, whatever was promised', () => {
    const least = (leastAmount: bigint): PromisedOutput => ({ ...output, leastAmount });
    const enough = [
      isEnough(0n, least(0n)),
      isEnough(1n, least(0n)),
      isEnough(9n, least(10n)),
      isEnough(10n, least(10n)),
    ];
    expect(enough).toEqual([false, true, false, true]);
    const none = { ...through, value: 0n };
    expect(matchCoin({ ...least(0n), token: null }, receipt([]), none)).toEqual({ kind: 'unclear' });
    // A coin has no token that a log could be of.
    expect(matchToken({ ...output, token: null }, receipt([]))).toMatchObject({ reason: 'output_missing' });
  });
});
