import { describe, expect, it } from '@jest/globals';

import { judgeOutput } from '../../../src/domain/proof/judge-output.ts';
import { type Match, matchCoin, matchToken } from '../../../src/domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../../src/domain/proof/output-checks.ts';
import {
  BLOCK_HASH,
  blockAt,
  ELSE,
  NEEDED,
  output,
  receipt,
  RECIPIENT,
  TOKEN,
  transfer,
} from '../../support/chain/shown.ts';

function judged(match: Match, promise: PromisedOutput = output, block = blockAt(100)): OutputAnswer {
  const head = { latest: blockAt(200), final: 100 };
  const shown = { source: 'a.example', match, blockNumber: 100, blockHash: BLOCK_HASH, head, needed: NEEDED };
  return judgeOutput(promise, { ...shown, block });
}

const lines = ({ checks }: OutputAnswer): string[] =>
  checks.map(({ name, passed, detail }) => `${name} ${passed}: ${detail}`);

describe('the checks of an output', () => {
  const times = 'Its block is of 2026-11-26T12:03:20.000Z, the quote of 2026-11-26T12:00:00.000Z.';
  const unused = 'unused null: Whether it proves another payment is known where proofs are stored.';
  const open = 'It could not be checked.';

  it('say of a transfer all that was seen', () => {
    expect(lines(judged(matchToken(output, receipt([transfer({ amount: 1_200n })]))))).toEqual([
      'chain_id true: The RPC is on chain 8453.',
      'receipt true: The transaction succeeded in block 100.',
      `token true: It moves the token ${TOKEN}.`,
      `recipient true: It goes to ${RECIPIENT}.`,
      'amount true: It brings 1200, at least 1000 was promised.',
      unused,
      `time true: ${times}`,
      'confirmations true: Its block is final, 101 blocks deep.',
    ]);
  });

  it('say of a coin that it is the native one', () => {
    const coin = { to: RECIPIENT, value: 1_000n, isPlain: true, gained: null };
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
      `recipient false: None of it goes to ${RECIPIENT}.`,
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
