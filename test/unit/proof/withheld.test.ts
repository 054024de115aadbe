import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyProof, release, type Proof } from '../../../src/domain/transitions/apply-proof.ts';
import { applyReport, openPayment } from '../../../src/domain/transitions/apply-report.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import type { Report } from '../../../src/domain/payment/report.ts';
import { shownReport, withVerification } from '../../../src/domain/payment/shown-report.ts';
import { STATUSES, type Status } from '../../../src/domain/payment/status.ts';
import type { Transition } from '../../../src/domain/transitions/transition.ts';
import { PENDING, type VerificationState, type Verify } from '../../../src/domain/proof/verification.ts';
import { hashOf, statusOf, CHAIN_ID } from '../../support/proof-texts.ts';
import { judgeInspection, type InspectedClaim } from '../../../src/domain/transitions/judge-inspection.ts';
import type { OutputAnswer } from '../../../src/domain/proof/output.ts';
import { madePayment } from '../../support/made-payment.ts';
import { reportOf } from '../../support/poll-results.ts';
import { contradicted, inconclusive, proven, transferOf } from '../../support/proof-answers.ts';

const REQUIRED = { stalledAfterMs: 900_000, verify: 'require' } as const;
const T0 = new Date('2026-11-20T12:00:00.000Z');
const report = (status: string, txHash: string | null = null): Report =>
  reportOf(statusOf('q-1', status, txHash));

function applied(
  payment: Payment,
  status: string,
  txHash: string | null = null,
  afterMs = 1_000,
): Transition {
  return applyReport(payment, report(status, txHash), new Date(T0.getTime() + afterMs), REQUIRED);
}

function opened(): Payment {
  return openPayment(madePayment(T0, { quoteId: 'q-1' })).payment;
}

function proofOf(state: VerificationState): Proof {
  return { verification: { ...PENDING, state }, reason: state === 'contradicted' ? 'amount_short' : null };
}

const WITHHELD = { isWithheld: true, before: 'pending' } as const;
const OVERDUE = { ...WITHHELD, isOverdue: true } as const;

describe('a withheld completion', () => {
  it.each([
    [[], 'payment.executing', 'EXECUTING'],
    [['DEPOSIT_RECEIVED'], 'payment.executing', 'EXECUTING'],
    [['EXECUTING'], 'payment.updated', 'EXECUTING'],
    [['EXPIRED'], 'payment.executing', 'EXECUTING'],
    [['EXECUTING', 'FAILED'], 'payment.updated', 'FAILED'],
  ])('after %j makes %s, and the payment is %s', (before, type, status) => {
    const payment = before.reduce((current, word) => applied(current, word).payment, opened());
    const { events, payment: after, report: stored } = applied(payment, 'COMPLETED', hashOf(5));
    expect(events).toMatchObject([{ type, status, verification: { state: 'pending' } }]);
    expect(JSON.parse(events[0]?.reportText ?? '')).toMatchObject({
      status,
      execution: { outputTxHash: hashOf(5) },
    });
    expect([after.status, after.tracking]).toEqual([status, status === 'FAILED' ? 'watching' : 'active']);
    expect(stored?.status).toBe('COMPLETED');
  });

  it('is no standstill, however long its proof takes', () => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    expect(applied(payment, 'COMPLETED', hashOf(5), 10_000_000).events).toEqual([]);
  });

  it.each<[before: Status[], previousStatus: Status, late: boolean]>([
    [[], 'EXECUTING', false],
    [['EXPIRED'], 'EXECUTING', true],
    [['EXECUTING', 'FAILED'], 'FAILED', true],
  ])('after %j becomes payment.completed by its proof, and by that alone', (before, previousStatus, late) => {
    const moved = before.reduce((current, word) => applied(current, word).payment, opened());
    const { payment } = applied(moved, 'COMPLETED', hashOf(5));
    const { payment: after, events } = applyProof(payment, proofOf('proven'), WITHHELD, T0);
    expect(events).toMatchObject([
      { type: 'payment.completed', previousStatus, late, verification: { state: 'proven' } },
    ]);
    const ended = { status: 'COMPLETED', tracking: 'watching', endedAt: T0 };
    expect(after).toMatchObject({ ...ended, sequence: payment.sequence + 1 });
  });

  it('that the provider takes back as FAILED fails', () => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    expect(applied(payment, 'FAILED').events).toMatchObject([{ type: 'payment.failed' }]);
  });

  it.each(['pending', 'unverified', 'contradicted'] as const)(
    'that is %s at the end of its patience stalls once, which an update of the report does not end',
    (state) => {
      const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
      const before = applyProof(payment, proofOf(state), WITHHELD, T0);
      expect(before.events.map(({ type }) => type)).not.toContain('payment.stalled');
      const { payment: stalled, events } = applyProof(before.payment, proofOf(state), OVERDUE, T0);
      expect(events).toMatchObject([
        { type: 'payment.stalled', reason: 'unverified', verification: { state } },
      ]);
      expect(applyProof(stalled, proofOf(state), OVERDUE, T0).events).toEqual([]);
      expect(applied(stalled, 'COMPLETED', hashOf(6)).payment.stalls).toEqual(['unverified']);
      expect(applyProof(stalled, proofOf('proven'), OVERDUE, T0)).toMatchObject({
        payment: { status: 'COMPLETED', stalls: [] },
        events: [{ type: 'payment.completed' }],
      });
    },
  );

  it('that is contradicted only at the end of its patience tells both, in one transaction', () => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    const { events } = applyProof(payment, proofOf('contradicted'), OVERDUE, T0);
    expect(events).toMatchObject([
      { type: 'payment.anomaly', reason: 'amount_short', sequence: payment.sequence + 1 },
      { type: 'payment.stalled', reason: 'unverified', sequence: payment.sequence + 2 },
    ]);
  });

  it('whose contradiction stands makes no second anomaly', () => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    const stands = { ...proofOf('contradicted'), reason: null };
    const again = { isWithheld: true, before: 'contradicted' } as const;
    expect(applyProof(payment, stands, again, T0).events).toEqual([]);
  });

  it('is not said by the anomaly of a report with another deposit address', () => {
    const { payment } = applied(opened(), 'EXECUTING');
    const text = statusOf('q-1', 'COMPLETED').replace('0x22', '0x33');
    const other = reportOf(text);
    const { events } = applyReport(payment, other, T0, REQUIRED);
    expect(events).toMatchObject([{ reason: 'other_address', status: 'EXECUTING' }]);
    expect(JSON.parse(events[0]?.reportText ?? '')).toMatchObject({ status: 'EXECUTING' });
    const verbatim = applyReport(payment, other, T0, { ...REQUIRED, verify: 'observe' });
    expect(verbatim.events[0]?.reportText).toBe(text);
  });

  it('stays so when it is contradicted', () => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    const { payment: after, events } = applyProof(payment, proofOf('contradicted'), WITHHELD, T0);
    expect(events).toMatchObject([{ type: 'payment.anomaly', reason: 'amount_short', status: 'EXECUTING' }]);
    expect(after.status).toBe('EXECUTING');
    expect(applyProof(after, proofOf('contradicted'), WITHHELD, T0).events).toEqual([]);
  });

  it('never says COMPLETED in an event, whatever the provider reports', () => {
    const words = fc.array(fc.constantFrom(...STATUSES, 'WEIRD'), { maxLength: 12 });
    fc.assert(
      fc.property(words, (statuses) => {
        let payment = opened();
        for (const [index, word] of statuses.entries()) {
          const { payment: next, events } = applied(payment, word, hashOf(index), 1_000 * index);
          for (const event of events) {
            expect(event.status).not.toBe('COMPLETED');
            if (event.reason === undefined) expect(event.reportText ?? '').not.toContain('"COMPLETED"');
          }
          payment = next;
        }
      }),
    );
  });
});

const REFUNDED = { reason: 'refunded', note: null, by: 'anna', at: T0.toISOString() } as const;

describe('the report of a completion, once VERIFY is no longer require', () => {
  const told = (
    verify: Verify,
    state: VerificationState | null,
    resolution: Payment['resolution'] = null,
  ): Transition => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    const verification = state === null ? null : { ...PENDING, state, block: 7 };
    const rules = { ...REQUIRED, verify };
    return applyReport({ ...payment, resolution }, report('COMPLETED', hashOf(6)), T0, rules, {
      verification,
    });
  };

  it.each<[Verify, VerificationState | null, VerificationState | undefined]>([
    ['observe', 'pending', 'pending'],
    ['observe', 'unverified', 'unverified'],
    ['off', 'pending', 'pending'],
    ['off', 'unverified', 'unverified'],
    // Never withheld.
    ['observe', null, 'pending'],
    ['off', null, undefined],
  ])('with %s completes one whose proof is %s, and says so: %s', (verify, state, shown) => {
    const { payment, events } = told(verify, state);
    expect(payment.status).toBe('COMPLETED');
    expect(events.map(({ type, verification }) => [type, verification?.state])).toEqual([
      ['payment.completed', shown],
    ]);
  });

  it.each<[Verify, VerificationState, Payment['resolution']]>([
    ['observe', 'contradicted', null],
    ['off', 'contradicted', null],
    ['observe', 'unverified', REFUNDED],
    ['off', 'pending', REFUNDED],
    ['off', 'contradicted', REFUNDED],
  ])('with %s leaves one withheld that is %s, resolved: %j', (verify, state, resolution) => {
    const { payment, events } = told(verify, state, resolution);
    expect(payment).toMatchObject({ status: 'EXECUTING', resolution });
    const shown = state === 'contradicted' ? state : 'pending';
    expect(events).toMatchObject([{ type: 'payment.updated', verification: { state: shown } }]);
    expect(events[0]?.reportText).toContain('"EXECUTING"');
  });

  it('completes a payment that was resolved and never withheld', () => {
    expect(told('observe', null, REFUNDED)).toMatchObject({
      payment: { status: 'COMPLETED', resolution: null },
    });
  });
});

it.each<[VerificationState, Payment['resolution'], string[]]>([
  ['pending', null, ['payment.completed']],
  ['contradicted', null, []],
  ['pending', REFUNDED, []],
])(
  'the word of the provider, where it is enough, for one that is %s, resolved: %j, makes %j',
  (before, resolution, types) => {
    const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
    const byWord = { isWithheld: true, before, byWord: true };
    expect(applyProof({ ...payment, resolution }, null, byWord, T0).events.map(({ type }) => type)).toEqual(
      types,
    );
  },
);

it('a person who releases a withheld payment completes it, and the event says who, why and what the chain shows', () => {
  const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
  const { verification } = proofOf('contradicted');
  const released = release(payment, verification, { note: 'ticket 7', by: 'anna' }, T0);
  const resolution = { reason: 'released', note: 'ticket 7', by: 'anna', at: T0.toISOString() };
  expect(released).toMatchObject({
    payment: { status: 'COMPLETED', tracking: 'watching', resolution },
    events: [{ type: 'payment.completed', previousStatus: 'EXECUTING', verification, resolution }],
  });
});

describe('a contradiction that comes after a person', () => {
  const { payment } = applied(opened(), 'COMPLETED', hashOf(5));
  const released = release(payment, PENDING, { note: null, by: 'anna' }, T0).payment;
  const settled: Payment = {
    ...released,
    resolution: { reason: 'refunded', note: null, by: 'anna', at: '' },
  };
  const chain = (of: Payment) =>
    applyProof(of, proofOf('contradicted'), { isWithheld: false, before: 'pending' }, T0).payment;
  const provider = (of: Payment) => applied(of, 'FAILED').payment;

  it.each([
    { who: 'the chain', contradict: chain },
    { who: 'the provider', contradict: provider },
  ])('has released it, by $who, ends the release, and no other resolution', ({ contradict }) => {
    expect(contradict(released)).toMatchObject({ status: 'COMPLETED', resolution: null });
    expect(contradict(settled).resolution).toEqual(settled.resolution);
    expect(contradict(contradict(released)).contradictions).toHaveLength(1);
  });
});

describe('a proof of a payment that has completed', () => {
  const COMPLETED: Payment = { ...opened(), status: 'COMPLETED', tracking: 'closed' };
  const OBSERVED = { isWithheld: false, before: 'pending' } as const;

  it('makes payment.verified once', () => {
    expect(applyProof(COMPLETED, proofOf('proven'), OBSERVED, T0).events).toMatchObject([
      { type: 'payment.verified', status: 'COMPLETED' },
    ]);
    expect(applyProof(COMPLETED, proofOf('proven'), { ...OBSERVED, before: 'proven' }, T0).events).toEqual(
      [],
    );
  });

  it.each(['pending', 'unverified'] as const)('makes no event while it is %s', (state) => {
    expect(applyProof(COMPLETED, proofOf(state), OBSERVED, T0).events).toEqual([]);
  });

  it('is a reorganisation where what contradicts it comes after a proof', () => {
    const again = { isWithheld: false, before: 'proven' } as const;
    const { payment, events } = applyProof(COMPLETED, proofOf('contradicted'), again, T0);
    expect(events).toMatchObject([{ type: 'payment.anomaly', reason: 'output_reorged' }]);
    expect(payment.status).toBe('COMPLETED');
  });
});

describe('a report as shops see it', () => {
  it.each<[string, Status, string]>([
    ['{"status":"COMPLETED","x":1.10}', 'EXECUTING', '{"status":"EXECUTING","x":1.10}'],
    [
      '{ "a" : "COMPLETED" , "\\u0073tatus" : "COMPLET\\u0045D" }',
      'FAILED',
      '{"a":"COMPLETED","status":"FAILED"}',
    ],
    ['{"status":"EXECUTING","status":"COMPLETED"}', 'EXECUTING', '{"status":"EXECUTING"}'],
    ['{"status":"COMPLETED"}', 'COMPLETED', '{"status":"COMPLETED"}'],
    ['{"status": "FAILED"}', 'EXECUTING', '{"status": "FAILED"}'],
  ])('%s of a payment that is %s is %s', (text, status, shown) => {
    expect(shownReport(text, status)).toBe(shown);
  });

  it('keeps every digit beside its verification', () => {
    expect(withVerification('{"amount":0.10}', PENDING)).toMatch(
      /^\{"amount":0\.10,"verification":\{"state":"pending"/,
    );
  });
});

const PATIENCE_MS = 1_800_000;
const HOUR_MS = 3_600_000;

function inspected(more: Partial<InspectedClaim> = {}): InspectedClaim {
  return {
    chainId: CHAIN_ID,
    before: 'pending',
    inspections: 1,
    begunAgoMs: 1_000,
    patienceMs: PATIENCE_MS,
    leastAmount: 1n,
    isNamed: true,
    provenBy: null,
    ...more,
  };
}

const FINAL = transferOf(hashOf(1));
const YOUNG = transferOf(hashOf(1), { isFinal: false, confirmations: 2 });

const CONTRADICTED = contradicted('amount_short', FINAL);

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
      [{ ...proven(FINAL), openAgainMs: 7_000 }, {}],
      [proven(FINAL), { isNamed: false }],
    ] as const) {
      const { proof } = judgeInspection(answer, null, inspected({ ...more, heldBy: 'q-2' }));
      expect(proof).toMatchObject({ reason: null, verification: { state: 'pending' } });
      expect(proof.verification.checks.find(({ name }) => name === 'unused')?.detail).toContain('q-2');
    }
  });

  it('that finds its own proof with another payment tells that it is lost, named or not, final or not', () => {
    const { verification } = judgeInspection(proven(YOUNG), YOUNG, inspected()).proof;
    for (const isNamed of [true, false]) {
      const claim = inspected({ before: 'proven', verification, provenBy: YOUNG, isNamed, heldBy: 'q-2' });
      const { proof, provenBy } = judgeInspection(proven(YOUNG), null, claim);
      expect(proof).toMatchObject({
        reason: 'output_used_before',
        verification: { state: 'contradicted', usedBy: 'q-2' },
      });
      expect(provenBy).toBeNull();
    }
  });

  it.each<[what: string, answer: OutputAnswer, begunAgoMs: number, isTold: boolean]>([
    ['no transfer', inconclusive('no_transfer_found', 5_000), 1_000, true],
    ['nothing that it names', inconclusive('not_found', 5_000), 1_000, true],
    ['something else', CONTRADICTED, 1_000, true],
    ['a transfer of another payment', proven(FINAL), 1_000, true],
    ['a young transfer', inconclusive('not_confirmed', 5_000), 1_000, false],
    ['a young one beside it', { ...proven(FINAL), openAgainMs: 5_000 }, 1_000, false],
    ['nothing, of an RPC that is away', inconclusive('rpc_away', 5_000), 1_000, false],
    ['nothing, of an RPC that is away too long', inconclusive('rpc_away', 5_000), PATIENCE_MS, true],
  ])(
    'of a payment whose proof was given to another one, and that shows %s',
    (_what, answer, begunAgoMs, isTold) => {
      const { verification } = judgeInspection(proven(FINAL), FINAL, inspected()).proof;
      const claim = inspected({ verification, lostTo: 'q-2', isNamed: false, begunAgoMs });
      const { proof, nextInMs } = judgeInspection(answer, null, claim);
      expect(nextInMs).toBeLessThanOrEqual(180_000);
      expect(proof.reason).toBe(isTold ? 'output_used_before' : null);
      expect(proof.verification.state).toBe(isTold ? 'contradicted' : 'pending');
      expect(proof.verification).toMatchObject({ txHash: hashOf(1), usedBy: 'q-2' });
    },
  );

  it('without a result is repeated when the witness says, and at the end of the patience', () => {
    expect(judgeInspection(inconclusive('lagging', 5_000), null, inspected()).nextInMs).toBe(5_000);
    expect(judgeInspection(inconclusive('lagging', 0), null, inspected()).nextInMs).toBe(1_000);
    const late = inspected({ begunAgoMs: PATIENCE_MS - 2_000 });
    expect(judgeInspection(inconclusive('lagging', 60_000), null, late).nextInMs).toBe(2_000);
  });

  it.each<[reason: string, askAgainMs: number | null, inspections: number, waits: readonly number[]]>([
    // A tenth of the time since the provider's word.
    ['rpc_away', 5_000, 1, [180_000, 900_000, 3_600_000]],
    ['not_found', 300_000, 1, [300_000, 900_000, 3_600_000]],
    // Asking again hardly helps.
    ['no_witness', null, 1, [600_000, 2_400_000, 3_600_000]],
    // By then the blocks exist.
    ['not_confirmed', 6_000, 10, [6_000, 6_000, 6_000]],
    ['not_final', 900_000, 1, [900_000, 900_000, 900_000]],
    // A chain that stands still.
    ['not_confirmed', 6_000, 11, [18_000, 90_000, 882_000]],
  ])(
    'after the patience that says %s, %s ms, as number %d, leaves the payment unverified; the next comes after %j',
    (reason, askAgainMs, inspections, waits) => {
      const at = (begunAgoMs: number, before: 'pending' | 'contradicted' = 'pending') => {
        const { verification } = proofOf(before);
        const claim = inspected({ begunAgoMs, inspections, before, verification, isWithheld: true });
        return judgeInspection(inconclusive(reason, askAgainMs), null, claim);
      };
      const ages = [PATIENCE_MS, 2.5 * HOUR_MS, 24.5 * HOUR_MS];
      expect(ages.map((ms) => at(ms).nextInMs)).toEqual(waits);
      expect(ages.map((ms) => at(ms, 'contradicted').nextInMs)).toEqual(waits);
      expect(at(PATIENCE_MS).proof.verification.state).toBe('unverified');
      expect(at(8 * 24 * HOUR_MS).nextInMs).toBeNull();
    },
  );

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
    for (const [answer, nextInMs] of [
      [inconclusive('away', 5_000), 180_000],
      [inconclusive('no_witness', null), 600_000],
    ] as const)
      expect(judgeInspection(answer, null, again)).toEqual({
        proof: { verification, reason: null },
        provenBy: null,
        nextInMs,
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
