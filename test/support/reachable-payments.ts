import { shownAmounts } from '../../src/domain/payment/amounts.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import { saysCompleted, shownReport } from '../../src/domain/payment/shown-report.ts';
import {
  CONTRADICTIONS_ON_CHAIN,
  PENDING,
  type ContradictionOnChain,
  type Verification,
  type VerificationState,
  type Verify,
} from '../../src/domain/proof/verification.ts';
import { tellingOf, type Standing } from '../../src/domain/story/standing.ts';
import type { SaidEvent, Story } from '../../src/domain/story/story.ts';
import { applyProof, release } from '../../src/domain/transitions/apply-proof.ts';
import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { resolve } from '../../src/domain/transitions/resolve.ts';
import { applySilence } from '../../src/domain/transitions/stall.ts';
import type { Transition } from '../../src/domain/transitions/transition.ts';
import { applyUnseenDeposit } from '../../src/domain/transitions/unseen-deposit.ts';
import { madePayment } from './made-payment.ts';
import { reportOf } from './poll-results.ts';

const START = Date.parse('2026-11-20T12:00:00.000Z');
const EXPIRES = new Date(START + 300_000);
const STALLED_AFTER_MS = 900_000;
export const QUOTE = {
  send: { amount: '1000.00', token: { symbol: 'USDC' }, chain: { id: 8453, name: 'Base' } },
  receive: { estimatedAmount: '999.12', token: { symbol: 'USDC' }, chain: { id: 792703809, name: 'Solana' } },
};
const HASH = `0xcc${'ab'.repeat(31)}`;

/** A payment, with the facts that are stored beside it. */
export interface Reached {
  readonly payment: Payment;
  readonly verify: Verify;
  readonly reportText: string | null;
  readonly verification: Verification | null;
  readonly events: readonly SaidEvent[];
  readonly now: number;
}

type Step = (at: Reached) => Reached | null;

/** The story of the payment, as its page tells it without destinations. */
export function storyOf({ payment, reportText, verification, events, now }: Reached): Story {
  const { status, late, tracking, createdAt, expiresAt, stalls, resolution } = payment;
  const shown = reportText === null ? null : shownReport(reportText, status);
  return {
    payment: {
      status,
      late,
      tracking,
      stalls,
      resolution,
      verification,
      quote: QUOTE,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
      report: shown === null ? null : (JSON.parse(shown) as unknown),
      amounts: shownAmounts(payment, shown),
    },
    events,
    deliveries: [],
    alsoPaidBy: [],
    destinations: null,
    now,
    clock: (instant) => instant.slice(11, 19),
  };
}

function moved(
  at: Reached,
  { payment, events, report }: Transition,
  verification: Verification | null,
): Reached {
  const reportText = report?.text ?? at.reportText;
  const told = events.map(({ type, reason, verification: shown, deposit }) => ({
    type,
    time: new Date(at.now).toISOString(),
    data: {
      ...(reason === undefined ? {} : { reason }),
      ...(shown === undefined ? {} : { verification: shown }),
      ...(deposit === undefined ? {} : { deposit }),
    },
  }));
  const isToProve = reportText !== null && saysCompleted(reportText) && at.verify !== 'off';
  return {
    ...at,
    payment,
    reportText,
    verification: isToProve ? (verification ?? PENDING) : null,
    events: [...at.events, ...told],
  };
}

/** Applies a report `afterMs` later. A stored completion is inspected anew, by the rule of begin_proofs.sql. */
function reports(fields: object, afterMs = 1_000): Step {
  return (before) => {
    const at = { ...before, now: before.now + afterMs };
    const report = reportOf({ success: true, quoteId: at.payment.quoteId, ...fields });
    const completedReport = at.payment.status === 'COMPLETED' ? at.reportText : null;
    const rules = { stalledAfterMs: STALLED_AFTER_MS, verify: at.verify };
    const beside = { completedReport, verification: at.verification };
    const transition = applyReport(at.payment, report, new Date(at.now), rules, beside);
    const stands = ['proven', 'contradicted'].includes(at.verification?.state ?? '');
    const isAnew = transition.report !== null && !stands;
    return moved(at, transition, isAnew ? null : at.verification);
  };
}

function inspects(state: VerificationState, reason: ContradictionOnChain | null): Step {
  return (at) => {
    const before = at.verification?.state;
    // A contradiction stands until a proof.
    if (before === undefined || (before === 'contradicted' && state === 'unverified')) return null;
    if (state === 'unverified' && before === 'proven') return null;
    const checks = [{ name: 'receipt', passed: true, detail: 'The transaction is in block 5084.' }] as const;
    const verification = { ...PENDING, state, checks };
    const proving = { isWithheld: isWithheld(at), before, isOverdue: state === 'unverified' };
    return moved(
      at,
      applyProof(at.payment, { verification, reason }, proving, new Date(at.now)),
      verification,
    );
  };
}

function isWithheld({ payment, reportText }: Reached): boolean {
  return payment.status !== 'COMPLETED' && reportText !== null && saysCompleted(reportText);
}

/** A payment that is not worth a proof. */
const byWord: Step = (at) => {
  const before = at.verification?.state;
  if (before === undefined || before === 'contradicted') return null;
  const proving = { isWithheld: isWithheld(at), before, byWord: true };
  const transition = applyProof(at.payment, null, proving, new Date(at.now));
  return moved(at, transition, { ...PENDING, state: 'unverified' });
};

function seesDeposit(wrongToken: boolean): Step {
  return (at) => {
    const amounts = { amount: '1000', amountRaw: '1', sum: '1000', sumRaw: '1' };
    const deposit = { chainId: 1, txHash: `0x${wrongToken}`, token: null, wrongToken, block: 1, ...amounts };
    return at.verify === 'off' ? null : moved(at, applyUnseenDeposit(at.payment, deposit), at.verification);
  };
}

const staysSilent: Step = (at) => {
  const now = at.now + 2 * STALLED_AFTER_MS;
  const rules = { stalledAfterMs: STALLED_AFTER_MS };
  const transition = applySilence(at.payment, new Date(at.now), new Date(now), rules);
  return moved({ ...at, now }, transition, at.verification);
};

const settles: Step = (at) =>
  moved(
    at,
    resolve(at.payment, { reason: 'refunded', note: null, by: 'ops' }, new Date(at.now)),
    at.verification,
  );

const releases: Step = (at) =>
  isWithheld(at)
    ? moved(
        at,
        release(at.payment, at.verification ?? PENDING, { note: null, by: 'ops' }, new Date(at.now)),
        at.verification,
      )
    : null;

const output = { execution: { outputTxHash: HASH, completedAt: START / 1_000 + 35 } };
const paid = (amount: string): object => ({ deposit: { amount, detectedAt: START / 1_000 + 20 } });
const ANOMALIES = [
  'partly_refunded',
  'short_output',
  'other_token_received',
  'contradictory_output',
] as const;

const STEPS: readonly Step[] = [
  ...STATUSES.map((status) => reports({ status, ...(status === 'COMPLETED' ? output : {}) })),
  ...['DEPOSIT_RECEIVED', 'EXECUTING'].map((status) => reports({ status }, 2 * STALLED_AFTER_MS)),
  reports({ status: 'FAILED', error: 'REFUNDED: 1000 USDC went back', ...paid('1000.00') }),
  reports({
    status: 'FAILED',
    error: 'UNDERPAID: 10 came instead of 1000 USDC, and was delivered.',
    ...paid('10.00'),
  }),
  reports({ status: 'DEPOSIT_RECEIVED', deposit: { heldForReview: true } }),
  ...['10.00', '1000.00', '2000.00'].flatMap((amount) =>
    ['AWAITING_DEPOSIT', 'EXPIRED', 'COMPLETED'].map((status) =>
      reports({ status, ...output, ...paid(amount) }),
    ),
  ),
  ...ANOMALIES.flatMap((anomaly) =>
    ['EXECUTING', 'COMPLETED'].map((status) => reports({ status, ...output, anomalies: [anomaly] })),
  ),
  reports({ status: 'EXPIRED', ...paid('1'), anomalies: ['other_token_received'] }),
  reports({ status: 'WEIRD' }),
  reports({ status: 'EXECUTING', depositAddress: '0xelsewhere' }),
  inspects('proven', null),
  inspects('unverified', null),
  ...CONTRADICTIONS_ON_CHAIN.filter((reason) => reason !== 'output_reorged').map((reason) =>
    inspects('contradicted', reason),
  ),
  byWord,
  seesDeposit(false),
  seesDeposit(true),
  staysSilent,
  settles,
  releases,
];

/** The most independent unusual facts in one payment. */
const MOST_UNUSUAL = 2;

/**
 * The payments that can come about by the rules of the domain, one for each way in which a payment can stand. A payment with
 * MOST_UNUSUAL facts gets no further ones.
 */
export function reachablePayments(): { readonly reached: Reached; readonly standing: Standing }[] {
  const found = new Map<string, { reached: Reached; standing: Standing }>();
  const open: Reached[] = (['off', 'observe', 'require'] as const).map(startOf);
  for (let reached = open.pop(); reached !== undefined; reached = open.pop()) {
    const { standing } = tellingOf(storyOf(reached));
    const key = JSON.stringify([standing, reached.verify]);
    const unusual = unusualFacts(standing);
    if (found.has(key) || unusual > MOST_UNUSUAL) continue;
    found.set(key, { reached, standing });
    const isLikeAnother = ![null, 'output_reverted'].includes(standing.verdict);
    if (standing.resolution === 'settled' || unusual === MOST_UNUSUAL || isLikeAnother) continue;
    for (const step of STEPS) {
      const next = step(reached);
      if (next !== null) open.push(next);
    }
  }
  return [...found.values()];
}

function unusualFacts({ oddities, verdict, stall, match, unseen, resolution, late }: Standing): number {
  const facts = [verdict !== null, stall !== 'none', unseen !== 'none', resolution !== 'none', late !== 'no'];
  const sums = match === 'underpaid' || match === 'overpaid' ? 1 : 0;
  return oddities.length + sums + facts.filter(Boolean).length;
}

function startOf(verify: Verify): Reached {
  const made = madePayment(new Date(START), {
    expiresAt: EXPIRES,
    depositAddress: '0xhere',
    quoteText: JSON.stringify(QUOTE),
  });
  const { payment } = openPayment(made);
  const created = { type: 'payment.created', time: new Date(START).toISOString(), data: {} };
  return { payment, verify, reportText: null, verification: null, events: [created], now: START };
}
