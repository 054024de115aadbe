import { describe, expect, it } from '@jest/globals';

import { judgeInspection, type InspectedClaim } from '../../../src/domain/payment/judge-inspection.ts';
import type { OutputAnswer } from '../../../src/domain/proof/output.ts';
import { inconclusive, proven, transferOf } from '../../support/proof-scene.ts';
import { CHAIN_ID, hashOf } from '../../support/proof-texts.ts';

const PATIENCE_MS = 1_800_000;
const HOUR_MS = 3_600_000;

function inspected(more: Partial<InspectedClaim> = {}): InspectedClaim {
  return {
    chainId: CHAIN_ID,
    before: 'pending',
    inspections: 1,
    begunAgoMs: 1_000,
    patienceMs: PATIENCE_MS,
    isNamed: true,
    provenBy: null,
    ...more,
  };
}

const FINAL = transferOf(hashOf(1));
const YOUNG = transferOf(hashOf(1), { isFinal: false, confirmations: 2 });

const CONTRADICTED: OutputAnswer = {
  state: 'contradicted',
  reason: 'amount_short',
  transfer: FINAL,
  checks: [],
  sources: ['rpc.example'],
};

describe('an inspection', () => {
  it('that finds a final transfer is the last', () => {
    const { proof, nextInMs, provenBy } = judgeInspection(proven(FINAL), FINAL, inspected());
    expect([proof.verification.state, nextInMs, provenBy]).toEqual(['proven', null, FINAL]);
    expect(proof.verification.checks.find(({ name }) => name === 'unused')?.passed).toBe(true);
  });

  it('that finds one in a young block is followed by others, ever later, until it is final', () => {
    const waits = [1, 2, 3, 9].map(
      (inspections) => judgeInspection(proven(YOUNG), YOUNG, inspected({ inspections })).nextInMs,
    );
    expect(waits).toEqual([15_000, 30_000, 60_000, 300_000]);
  });

  it('that finds only transfers of others contradicts, where they are final and named', () => {
    const used = judgeInspection(proven(FINAL), null, inspected());
    expect([used.proof.reason, used.nextInMs]).toEqual(['output_used_before', null]);
    expect(used.proof.verification.checks.find(({ name }) => name === 'unused')?.passed).toBe(false);
    for (const [answer, more] of [
      [proven(YOUNG), {}],
      [proven(FINAL), { isNamed: false }],
    ] as const)
      expect(judgeInspection(answer, null, inspected(more)).proof).toMatchObject({
        reason: null,
        verification: { state: 'pending' },
      });
  });

  it('without a result is repeated when the witness says, and at the end of the patience', () => {
    expect(judgeInspection(inconclusive('lagging', 5_000), null, inspected()).nextInMs).toBe(5_000);
    expect(judgeInspection(inconclusive('lagging', 0), null, inspected()).nextInMs).toBe(1_000);
    const late = inspected({ begunAgoMs: PATIENCE_MS - 2_000 });
    expect(judgeInspection(inconclusive('lagging', 60_000), null, late).nextInMs).toBe(2_000);
  });

  it('without a result after the patience leaves the payment unverified, and goes on ever more slowly for a week', () => {
    const at = (begunAgoMs: number) =>
      judgeInspection(inconclusive('away', 5_000), null, inspected({ begunAgoMs }));
    expect(at(PATIENCE_MS).proof.verification.state).toBe('unverified');
    expect([0, 2 * HOUR_MS, 24 * HOUR_MS].map((ms) => at(PATIENCE_MS + ms).nextInMs)).toEqual([
      600_000, 2_400_000, 3_600_000,
    ]);
    expect(at(8 * 24 * HOUR_MS).nextInMs).toBeNull();
  });

  it('that would never help leaves the payment unverified at once', () => {
    const { proof, nextInMs } = judgeInspection(inconclusive('no_witness', null), null, inspected());
    expect([proof.verification.state, nextInMs]).toEqual(['unverified', null]);
  });

  it('that would never help leaves what is withheld pending until the end of its patience: it may get another RPC', () => {
    const at = (begunAgoMs: number) =>
      judgeInspection(inconclusive('no_witness', null), null, inspected({ isWithheld: true, begunAgoMs }));
    const told = [1_000, PATIENCE_MS - 5_000, PATIENCE_MS, 8 * 24 * HOUR_MS].map((ms) => {
      const { proof, nextInMs } = at(ms);
      return [proof.verification.state, nextInMs];
    });
    expect(told).toEqual([
      ['pending', 600_000],
      ['pending', 5_000],
      ['unverified', 600_000],
      ['unverified', null],
    ]);
  });

  it('that contradicts is the last, but of what is withheld: that is inspected at the end of its patience and for a week', () => {
    const at = (more: Partial<InspectedClaim>) =>
      judgeInspection(CONTRADICTED, null, inspected(more)).nextInMs;
    expect(at({})).toBeNull();
    const waits = [1_000, PATIENCE_MS, PATIENCE_MS + 24 * HOUR_MS, 8 * 24 * HOUR_MS].map((begunAgoMs) =>
      at({ isWithheld: true, begunAgoMs }),
    );
    expect(waits).toEqual([PATIENCE_MS - 1_000, 600_000, 3_600_000, null]);
  });

  it('without a result takes no contradiction back, and tells none again', () => {
    const { verification } = judgeInspection(CONTRADICTED, null, inspected()).proof;
    const again = inspected({
      before: 'contradicted',
      verification,
      isWithheld: true,
      begunAgoMs: PATIENCE_MS,
    });
    for (const answer of [inconclusive('away', 5_000), inconclusive('no_witness', null)])
      expect(judgeInspection(answer, null, again)).toEqual({
        proof: { verification, reason: null },
        provenBy: null,
        nextInMs: 600_000,
      });
  });

  it('is not the last before the end of a patience of more than a week', () => {
    const patient = { patienceMs: 20 * 24 * HOUR_MS };
    const during = judgeInspection(
      inconclusive('away', 5_000),
      null,
      inspected({ ...patient, begunAgoMs: 8 * 24 * HOUR_MS }),
    );
    expect([during.proof.verification.state, during.nextInMs]).toEqual(['pending', 5_000]);
    const after = judgeInspection(
      inconclusive('away', 5_000),
      null,
      inspected({ ...patient, begunAgoMs: 20 * 24 * HOUR_MS }),
    );
    expect([after.proof.verification.state, after.nextInMs]).toEqual(['unverified', null]);
  });

  it('that finds a coin only by the balance of a block which proves another payment contradicts nothing', () => {
    const byBalance = transferOf(hashOf(1), { logIndex: null, byBalance: true });
    expect(judgeInspection(proven(byBalance), null, inspected()).proof).toMatchObject({
      reason: null,
      verification: { state: 'pending' },
    });
  });

  it('takes no proof back while no final block says otherwise', () => {
    const { verification } = judgeInspection(proven(YOUNG), YOUNG, inspected()).proof;
    const before = { before: 'proven', verification, provenBy: YOUNG, begunAgoMs: 5 * HOUR_MS } as const;
    const { proof, provenBy } = judgeInspection(inconclusive('not_found', 5_000), null, inspected(before));
    expect([proof.verification, provenBy]).toEqual([verification, YOUNG]);
    expect([verification.state, verification.txHash]).toEqual(['proven', hashOf(1)]);
  });
});
