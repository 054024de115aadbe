import { afterAll, describe, expect, it } from '@jest/globals';

import type { ArrivedEvent } from '../../tools/chaos/ledger.ts';
import { judgeProof, type ProofEvidence } from '../../tools/chaos/proof/proof-verdict.ts';
import { ProofStage } from '../../tools/chaos/proof/proof-stage.ts';
import { type ProofMode } from '../../tools/chaos/proof/proven-stories.ts';
import type { Payout, Transaction } from '../../tools/chaos/proof/scripted-chain.ts';
import { type Story } from '../../tools/chaos/stories.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';

const PAID: Payout = { deed: 'paid', isNamed: true, afterBlocks: 0 };
const SHORT: Payout = { deed: 'amount_short', isNamed: true, afterBlocks: 0 };

const cleanup = new Cleanup();
afterAll(() => cleanup.run());

function storyOf(...payouts: readonly Payout[]): Story {
  const steps = payouts.map((payout) => ({ status: 'COMPLETED', more: {}, event: null, forMs: 0, payout }));
  return { name: 'short', steps, isPatient: true, flakiness: 0 };
}

/** The number of breaches by kind, without zeros: `0xa` pays enough, `0xb` pays too little. */
function breaches(
  events: readonly (readonly [type: string, state: string | null, txHash?: string, reason?: string])[],
  { mode = 'require', story = storyOf(PAID) }: { mode?: ProofMode; story?: Story } = {},
): Record<string, number> {
  const told = events.map(([type, state, txHash = null, reason = null]) => {
    const verification = state === null ? null : { state, txHash };
    return { quoteId: 'q', type: `payment.${type}`, reason, verification } as ArrivedEvent;
  });
  const deeds = [
    ['0xa', 'paid'],
    ['0xb', 'amount_short'],
  ] as const;
  const transactions = deeds.map(([hash, deed]) => [hash, { quoteId: 'q', deed } as Transaction] as const);
  const proof: ProofEvidence = { mode, transactions: new Map(transactions) };
  const verdict = judgeProof(proof, [{ events: told, played: { quoteId: 'q', story } }]);
  const counted = Object.entries(verdict).map(([name, found]) => [name, found.length] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

describe('the verdict on proofs', () => {
  it('finds nothing where a payment completes by its proof, or is verified', () => {
    expect(breaches([['completed', 'proven', '0xa']])).toEqual({});
    const verified = [['completed', null] as const, ['verified', 'proven', '0xa'] as const];
    expect(breaches(verified, { mode: 'observe' })).toEqual({});
  });

  it('finds nothing wrong with the contradiction of a lie', () => {
    const lie = ['anomaly', 'contradicted', '0xb', 'amount_short'] as const;
    const story = storyOf(SHORT, PAID);
    expect(breaches([lie, ['completed', 'proven', '0xa']], { story })).toEqual({});
    expect(breaches([lie], { story: storyOf(SHORT), mode: 'observe' })).toEqual({});
  });

  it('counts a completion without a proof, and a payment that no event proves', () => {
    expect(breaches([['completed', null]])).toEqual({ 'completed without proof': 1, 'proofs missing': 1 });
    expect(breaches([['completed', null]], { mode: 'observe' })).toEqual({ 'proofs missing': 1 });
  });

  it("counts a proof by a transaction that does not pay, or that pays nobody's payment", () => {
    for (const txHash of ['0xb', '0xc'])
      expect(breaches([['completed', 'proven', txHash]])).toEqual({ 'proven lies': 1 });
  });

  it('counts a contradiction of what is paid, and one for another reason than the lie', () => {
    const paid = ['anomaly', 'contradicted', '0xa', 'output_reverted'] as const;
    const proven = ['completed', 'proven', '0xa'] as const;
    expect(breaches([paid, proven])).toEqual({ 'wrongly contradicted': 1 });
    const other = ['anomaly', 'contradicted', '0xb', 'other_token'] as const;
    expect(breaches([other, proven], { story: storyOf(SHORT, PAID) })).toEqual({ 'wrongly contradicted': 1 });
  });
});

describe('the RPCs of a run with proofs', () => {
  const ask = async (url: string, method: string, ...params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url, { method: 'POST', body });
    return answer.ok ? ((await answer.json()) as { result: unknown }).result : answer.status;
  };

  it('lie only beside the truth, limit, go away and come back', async () => {
    const stage = await ProofStage.open('require', cleanup);
    const payee = { quoteId: 'q', recipient: `0x${'ab'.repeat(20)}` };
    const hash = stage.payOut(payee, { ...PAID, afterBlocks: -1 }) ?? '';
    const [one, other] = stage.rpcs.map(({ url }) => `${url}/replica-0`) as [string, string];
    await stage.trouble(0, 'lie', true);
    const statusAt = async (url: string) =>
      (await ask(url, 'eth_getTransactionReceipt', hash)) as { status: string };
    expect(await statusAt(one)).toMatchObject({ status: '0x1' });
    const [lie, truth] = await Promise.all([statusAt(one), statusAt(other)]);
    expect([lie, truth]).toMatchObject([{ status: '0x0' }, { status: '0x1' }]);
    await stage.trouble(0, 'throttle', true);
    expect(await statusAt(one)).toBe(429);
    await stage.trouble(0, 'away', true);
    await expect(statusAt(one)).rejects.toThrow();
    await stage.trouble(0, 'away', false);
    expect(await statusAt(one)).toMatchObject({ status: '0x1' });
  });
});
