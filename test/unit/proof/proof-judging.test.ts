import { expect, it, describe } from '@jest/globals';
import { EVM } from '../../../src/chains/evm/evm-adapter.ts';
import { readOutput } from '../../../src/chains/spelled.ts';
import fc from 'fast-check';
import { fromUnits } from '../../../src/domain/payment/amount.ts';
import { applyProof } from '../../../src/domain/transitions/apply-proof.ts';
import { judgeInspection } from '../../../src/domain/transitions/judge-inspection.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import {
  promisedOutput,
  isWorthProof,
  type ProvenTexts,
} from '../../../src/domain/payment/promised-output.ts';
import { inconclusive, judgeOutput } from '../../../src/domain/proof/judge-output.ts';
import { matchToken, type Match, matchCoin } from '../../../src/domain/proof/match-output.ts';
import type { ShownTransfer } from '../../../src/domain/proof/shown.ts';
import { CHAIN_ID, hashOf, quoteOf, RECIPIENT, statusOf, USDC } from '../../support/proof-texts.ts';
import { agree, ofNamed } from '../../../src/domain/proof/agree.ts';
import { disagreeing } from '../../../src/domain/proof/rpc-words.ts';
import { afterBlocks, afterNothing, bounded, untilFinal } from '../../../src/domain/proof/ask-again.ts';
import {
  blockAt,
  judge,
  SINCE,
  transfer,
  BLOCK_HASH,
  ELSE,
  NEEDED,
  output,
  receipt,
  RECIPIENT as SHOWN_RECIPIENT,
  TOKEN,
} from '../../support/chain/shown.ts';
import { madePayment } from '../../support/made-payment.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../../src/domain/proof/output-checks.ts';

const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');
const COMPLETED: Payment = { ...madePayment(CREATED_AT), status: 'COMPLETED', tracking: 'closed' };
const BLOCK = 1_000;
const RUNS = 2_000;

/** A quote of any amount and precision, and a payout that keeps its promise among other transfers of the transaction. */
const HONEST = fc.record({
  decimals: fc.integer({ min: 0, max: 24 }),
  least: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  isMinimum: fc.boolean(),
  toleranceBps: fc.integer({ min: 0, max: 5_000 }),
  surplus: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  others: fc.integer({ min: 0, max: 4 }),
  place: fc.integer({ min: 0, max: 4 }),
  after: fc.integer({ min: -15_000, max: 3_600_000 }),
  depth: fc.integer({ min: 20, max: 500 }),
  finalDepth: fc.integer({ min: 0, max: 400 }),
  isCapital: fc.boolean(),
});

it('2,000 payments that keep their quotes are proven, each with one event, and none is contradicted', () => {
  let proven = 0;
  fc.assert(
    fc.property(HONEST, (each) => {
      const { decimals, least, isMinimum, toleranceBps, surplus, others, place, isCapital } = each;
      const amount = fromUnits(least, decimals);
      const address = isCapital ? USDC.toUpperCase().replace('0X', '0x') : USDC;
      const quoteText = quoteOf('q', {
        token: { address, symbol: 'X', name: 'X', decimals },
        estimatedAmount: isMinimum ? '1' : amount,
        minimumAmount: isMinimum ? amount : undefined,
      });
      const texts = { quoteText, reportText: statusOf('q', 'COMPLETED', hashOf(7)), createdAt: CREATED_AT };
      const quoted = promisedOutput({ ...texts, wasUnderWay: false }, toleranceBps);
      if (typeof quoted === 'string') throw new Error(quoted);
      const promised = readOutput(EVM.spelling, quoted);
      if (promised === null) throw new Error('its addresses are unreadable');
      const at = { txHash: hashOf(7), blockNumber: BLOCK, blockHash: hashOf(8) };
      const paid: ShownTransfer = {
        ...at,
        logIndex: 9,
        token: USDC,
        from: hashOf(4).slice(0, 42),
        to: RECIPIENT,
        amount: least + surplus,
      };
      const noise = Array.from({ length: others }, (_other, index): ShownTransfer => {
        const isElse = index % 2 === 0;
        return { ...paid, logIndex: index, ...(isElse ? { to: hashOf(3).slice(0, 42) } : { amount: 0n }) };
      });
      const transfers = noise.toSpliced(Math.min(place, others), 0, paid);
      const receipt = { ...at, succeeded: true, gasUsed: 50_000n, transfers, logged: '' };
      const blockAt = (number: number) => ({
        number,
        hash: hashOf(8),
        at: new Date(CREATED_AT.getTime() + each.after),
      });
      const answer = judgeOutput(promised, {
        source: 'rpc.example',
        match: matchToken(promised, receipt),
        blockNumber: BLOCK,
        blockHash: hashOf(8),
        block: blockAt(BLOCK),
        head: { latest: blockAt(BLOCK + each.depth - 1), final: BLOCK + each.depth - 1 - each.finalDepth },
        needed: 20,
      });
      const reserved = answer.state === 'proven' ? answer.transfers[0] : null;
      const inspected = {
        chainId: CHAIN_ID,
        before: 'pending',
        inspections: 1,
        begunAgoMs: 5_000,
        patienceMs: 1_800_000,
        leastAmount: least,
      } as const;
      const { proof } = judgeInspection(answer, reserved, { ...inspected, isNamed: true, provenBy: null });
      const { events } = applyProof(COMPLETED, proof, { isWithheld: false, before: 'pending' }, CREATED_AT);
      expect([answer.state, proof.verification.logIndex, events.map(({ type }) => type)]).toEqual([
        'proven',
        9,
        ['payment.verified'],
      ]);
      proven += 1;
    }),
    { numRuns: RUNS },
  );
  expect(proven).toBe(RUNS);
});

describe('several answers', () => {
  const proven = judge([transfer()]);
  const short = judge([transfer({ amount: 999n })]);
  const missing = judge([]);
  const open = judge([transfer()], { latest: blockAt(101), final: 0 });

  it('of RPCs keep the inputs that all show alike', () => {
    const seeing = (...spends: string[]): OutputAnswer => ({
      ...open,
      seenInputs: spends.map((each, at) => ({ txHash: String(at), spends: [each] })),
    });
    expect(agree([seeing('a')]).seenInputs).toEqual([{ txHash: '0', spends: ['a'] }]);
    expect(agree([seeing('a', 'b'), seeing('a', 'c')]).seenInputs).toEqual([{ txHash: '0', spends: ['a'] }]);
    expect(agree([seeing('a'), open])).not.toHaveProperty('seenInputs');
    expect(agree([open, seeing('a')])).not.toHaveProperty('seenInputs');
  });

  it('of RPCs prove or contradict only where all say the same', () => {
    const other = judge([transfer()], { latest: blockAt(120), final: 90 }, { source: 'b.example' });
    expect(agree([proven, other])).toMatchObject({
      state: 'proven',
      sources: ['a.example', 'b.example'],
      askAgainMs: 28_000,
      transfers: [{ confirmations: 21, isFinal: false }],
    });
    expect(agree([short, { ...short, sources: ['b.example'] }])).toMatchObject({ reason: 'amount_short' });
    // Two equal answers of three are not enough.
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
      expect(agree(pair)).toMatchObject({ state: 'inconclusive', reason: 'rpcs_disagree' });
    for (const pair of [
      [proven, open],
      [open, short],
    ] as const)
      expect(agree(pair)).toMatchObject({ state: 'inconclusive', reason: 'not_confirmed' });
  });

  const of = (source: string, answer: OutputAnswer): OutputAnswer => ({ ...answer, sources: [source] });
  const unclear = (reason: string): OutputAnswer =>
    inconclusive(reason, 1_000, { source: 'b.example', checks: checksOf({}) });

  it.each<[OutputAnswer[], string, string[]]>([
    [
      [proven, unclear('not_found')],
      'a.example shows it in block 100; b.example does not have the transaction.',
      ['a.example', 'b.example'],
    ],
    [
      [proven, of('b.example', short), of('c.example', proven)],
      'a.example shows it in block 100; b.example shows too little in block 100; c.example shows it in block 100.',
      ['b.example'],
    ],
    [
      [missing, unclear('no_transfer_found'), of('c.example', proven)],
      'a.example shows no such transfer; b.example shows no such transfer; c.example shows it in block 100.',
      ['c.example'],
    ],
    // One RPC lags, and none has decided.
    [
      [proven, of('b.example', open)],
      'a.example shows it in block 100; b.example shows it in a young block.',
      [],
    ],
    [
      [unclear('not_found'), of('c.example', unclear('rpc_contradicts_itself'))],
      'b.example does not have the transaction; c.example contradicts itself.',
      [],
    ],
  ])(
    'of RPCs that differ name each with what it says, and those that disagree with most: %#',
    (answers, said, who) => {
      const [first, ...others] = answers as [OutputAnswer, ...OutputAnswer[]];
      const { checks, sources } = agree([first, ...others]);
      expect(checks.find(({ name }) => name === 'receipt')?.detail).toBe(said);
      expect(sources).toEqual(answers.flatMap((answer) => answer.sources));
      expect(disagreeing(answers)).toEqual(who);
    },
  );

  it('of RPCs leave the transfers that all show', () => {
    const both = judge([transfer(), transfer({ logIndex: 3 })]);
    const one = judge([transfer({ logIndex: 3 })]);
    expect(agree([both, one])).toMatchObject({ transfers: [{ logIndex: 3 }] });
    expect(agree([both, one])).toHaveProperty('transfers.length', 1);
  });

  it('of named transactions prove by one, and contradict only where none is open', () => {
    const askAgainMs = open.state === 'inconclusive' ? open.askAgainMs : null;
    // The open transaction may prove the payment if another payment has the proven one.
    expect(ofNamed([short, open, proven])).toEqual({ ...proven, openAgainMs: askAgainMs });
    expect(ofNamed([short, proven])).toEqual(proven);
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
    expect(afterBlocks(8453, 10, blockAt(100), head)).toBe(20_000);
    expect(afterBlocks(8453, 3, blockAt(110), head)).toBe(6_000);
    expect(afterBlocks(8453, 3, blockAt(112), head)).toBe(6_000);
    // Blocks with the time of the head, or a later time.
    expect(afterBlocks(8453, 3, { ...blockAt(100), at: head.latest.at }, head)).toBe(6_000);
    expect(afterBlocks(8453, 3, { ...blockAt(100), at: blockAt(120).at }, head)).toBe(6_000);
    expect(afterBlocks(8453, 1, { ...blockAt(109), at: blockAt(100).at }, head)).toBe(20_000);
    expect(
      afterBlocks(8453, 10_000, { ...blockAt(100), at: new Date(head.latest.at.getTime() - 1) }, head),
    ).toBe(2_000);
    expect(untilFinal(8453, blockAt(100), head)).toBe(20_000);
    expect(untilFinal(8453, blockAt(100), { ...head, final: null })).toBe(300_000);
  });
});

function judged(match: Match, promise: PromisedOutput = output, block = blockAt(100)): OutputAnswer {
  const head = { latest: blockAt(200), final: 100 };
  const shown = { source: 'a.example', match, blockNumber: 100, blockHash: BLOCK_HASH, head, needed: NEEDED };
  return judgeOutput(promise, { ...shown, block });
}

const lines = ({ checks }: OutputAnswer): string[] =>
  checks.map(({ name, passed, detail }) => `${name} ${passed}: ${detail}`);

describe('the checks of an output', () => {
  const times = 'Its block is of 2026-11-26T12:03:20.000Z, the quote of 2026-11-26T12:00:00.000Z.';
  const unused = 'unused null: It is decided once all else is right.';
  const open = 'It could not be checked.';

  it('say of a transfer all that was seen', () => {
    expect(lines(judged(matchToken(output, receipt([transfer({ amount: 1_200n })]))))).toEqual([
      'chain_id true: The RPC is on chain 8453.',
      'receipt true: The transaction succeeded in block 100.',
      `token true: It moves the token ${TOKEN}.`,
      `recipient true: It goes to ${SHOWN_RECIPIENT}.`,
      'amount true: It brings 1200, at least 1000 was promised.',
      unused,
      `time true: ${times}`,
      'confirmations true: Its block is final, 101 blocks deep.',
    ]);
  });

  it('say of a coin that it is the native one', () => {
    const coin = { from: ELSE, to: SHOWN_RECIPIENT, value: 1_000n, isPlain: true, gain: null };
    const promise = { ...output, token: null };
    const [, , token] = lines(judged(matchCoin(promise, receipt([]), coin), promise));
    expect(token).toBe("token true: It moves the chain's native coin.");
  });

  it('end with the one that fails, and leave open what follows from the transfer', () => {
    expect(lines(judged(matchToken(output, receipt([], false))))).toEqual([
      'chain_id true: The RPC is on chain 8453.',
      'receipt false: The transaction failed in block 100.',
      `token null: ${open}`,
      `recipient null: ${open}`,
      `amount null: ${open}`,
      unused,
      `time true: ${times}`,
      'confirmations true: Its block is final, 101 blocks deep.',
    ]);
    const [, , token, recipient, amount] = lines(
      judged(matchToken(output, receipt([transfer({ to: ELSE })]))),
    );
    expect([token, recipient, amount]).toEqual([
      `token true: It moves the token ${TOKEN}.`,
      `recipient false: None of it goes to ${SHOWN_RECIPIENT}.`,
      `amount null: ${open}`,
    ]);
  });

  it('say of a coin that a contract may have passed on no more than the receipt', () => {
    const answer = judged({ kind: 'unclear' }, { ...output, token: null });
    expect(answer).toMatchObject({
      state: 'inconclusive',
      reason: 'coin_through_contract',
      askAgainMs: null,
    });
    expect(lines(answer).filter((line) => line.includes('true'))).toEqual([
      'chain_id true: The RPC is on chain 8453.',
      'receipt true: The transaction succeeded in block 100.',
      `time true: ${times}`,
      'confirmations true: Its block is final, 101 blocks deep.',
    ]);
  });

  it('say where the RPC is not on the chain, and nothing else then', () => {
    const checks = checksOf(chainIdCheck(8453, false));
    expect(checks[0]).toEqual({ name: 'chain_id', passed: false, detail: 'The RPC is not on chain 8453.' });
    expect(checks.slice(1).every(({ passed }) => passed === null)).toBe(true);
  });

  it('wait for another block where that of the number is a different one', () => {
    const block = { ...blockAt(100), hash: `0x${'44'.repeat(32)}` };
    expect(judged(matchToken(output, receipt([transfer()])), output, block)).toMatchObject({
      state: 'inconclusive',
      reason: 'block_replaced',
      askAgainMs: 15_000,
      sources: ['a.example'],
    });
  });
});

describe('promised output', () => {
  const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');
  const NATIVE = '0x0000000000000000000000000000000000000000';

  function texts(receive: object = {}, more: Partial<ProvenTexts> = {}): ProvenTexts {
    return {
      quoteText: quoteOf('q-1', receive),
      reportText: statusOf('q-1', 'COMPLETED', hashOf(5)),
      createdAt: CREATED_AT,
      wasUnderWay: false,
      ...more,
    };
  }

  function leastOf(receive: object, toleranceBps = 100): unknown {
    const promised = promisedOutput(texts(receive), toleranceBps);
    return typeof promised === 'string' ? promised : promised.leastAmount;
  }

  const toPlace = (to: object): string => JSON.stringify({ status: 'COMPLETED', route: { to } });

  describe('the promise of a quote', () => {
    it('is a transfer of the token to the recipient, in the transaction that the report names', () => {
      expect(promisedOutput(texts(), 100)).toEqual({
        chainId: CHAIN_ID,
        token: USDC,
        recipient: RECIPIENT,
        leastAmount: 24_900_000n,
        mostAmount: 50_000_000n,
        txHashes: [hashOf(5)],
        since: CREATED_AT,
      });
    });

    it.each([
      ['the minimum', {}, 24_900_000n],
      ['the minimum, whatever the tolerance', { minimumAmount: '25' }, 25_000_000n],
      ['the estimate less the tolerance', { minimumAmount: undefined }, 24_750_000n],
      ['digits of a number as they stand', { minimumAmount: undefined, estimatedAmount: 12.5 }, 12_375_000n],
      ['digits beyond the decimals are cut', { minimumAmount: '0.0000019' }, 1n],
      [
        'no float: 18 decimals',
        { minimumAmount: '1.000000000000000001', token: { address: USDC, decimals: 18 } },
        1_000_000_000_000_000_001n,
      ],
      ['no amount', { minimumAmount: undefined, estimatedAmount: undefined }, 'no_amount'],
      ['no decimals', { token: { address: USDC } }, 'no_amount'],
    ])('is at least: %s', (_what, receive, expected) => {
      expect(leastOf(receive)).toBe(expected);
    });

    it.each([
      NATIVE,
      '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
      '0x0000000000000000000000000000000000001010',
    ])('is of the native coin for %s', (address) => {
      expect(promisedOutput(texts({ token: { address, decimals: 18 } }), 0)).toMatchObject({ token: null });
    });

    it('names the fills of the chain too, each once, and never the deposit', () => {
      const report = JSON.parse(statusOf('q-1', 'COMPLETED', hashOf(5))) as {
        execution: { steps: object[] };
      };
      report.execution.steps = [
        { type: 'deposit', chainId: 10, txHash: hashOf(6) },
        { type: 'fill', chainId: CHAIN_ID, txHash: hashOf(5) },
        { type: 'fill', chainId: String(CHAIN_ID), txHash: hashOf(7) },
        { type: 'fill', chainId: CHAIN_ID, txHash: hashOf(8), status: 'failure' },
        { type: 'fill', chainId: 1, txHash: hashOf(9) },
      ];
      const promised = promisedOutput(texts({}, { reportText: JSON.stringify(report) }), 100);
      expect(promised).toMatchObject({ txHashes: [hashOf(5), hashOf(7)] });
    });

    it.each([
      ['no_chain', { quoteText: null, reportText: '{"status":"COMPLETED"}' }],
      ['no_amount', { quoteText: null }],
      ['no_token', { quoteText: null, reportText: toPlace({ chainId: CHAIN_ID }) }],
      ['no_recipient', { quoteText: null, reportText: toPlace({ chainId: CHAIN_ID, token: USDC }) }],
    ] as const)('is unknown: %s', (reason, more) => {
      expect(promisedOutput(texts({}, more), 100)).toBe(reason);
    });

    it('may be older than a payment that was adopted on its way, by the time of its quote', () => {
      const reportText = JSON.stringify({
        status: 'COMPLETED',
        createdAt: CREATED_AT.getTime() / 1_000 - 600,
      });
      const quotedAt = new Date(CREATED_AT.getTime() - 600_000);
      expect(promisedOutput(texts({}, { reportText, wasUnderWay: true }), 1)).toMatchObject({
        since: quotedAt,
      });
      expect(promisedOutput(texts({}, { reportText }), 1)).toMatchObject({ since: CREATED_AT });
    });

    it.each([
      [hashOf(5), 30],
      [null, 1],
    ])(
      'may be older than its adoption where nothing says when it was quoted: of the hash %s by %d days',
      (hash, days) => {
        const reportText = statusOf('q-1', 'COMPLETED', hash);
        expect(promisedOutput(texts({}, { reportText, wasUnderWay: true }), 1)).toMatchObject({
          since: new Date(CREATED_AT.getTime() - days * 86_400_000),
        });
      },
    );
  });

  describe('VERIFY_FROM_USD', () => {
    it.each([
      ['25.00', true],
      ['25', true],
      ['25.000000000000000000001', false],
      ['25.01', false],
      ['100', false],
      ['3', true],
      ['0', true],
    ])('%s: a payment of 25.00 is proven: %s', (fromUsd, expected) => {
      expect(isWorthProof(quoteOf('q-1'), fromUsd)).toBe(expected);
    });

    it('has a payment proven whose quote has no figure', () => {
      expect(isWorthProof(quoteOf('q-1', { estimatedAmountUsd: undefined }), '1000')).toBe(true);
      expect(isWorthProof(quoteOf('q-1', { estimatedAmountUsd: '1e3' }), '1000')).toBe(true);
      expect(isWorthProof(null, '1000')).toBe(true);
    });
  });
});
