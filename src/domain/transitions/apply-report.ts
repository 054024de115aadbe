import { TYPE_OF_STATUS, type EventType } from '../event/event.ts';
import { PENDING, type Verification, type Verify } from '../proof/verification.ts';
import { shownReport } from '../payment/shown-report.ts';
import { isHeld } from './apply-proof.ts';
import { changeAfterCompletion } from './after-completion.ts';
import type { Payment } from '../payment/payment.ts';
import { update, updateTold } from './update-payment.ts';
import { addressDigest, isCompletion, mergePartDigests, type Report } from '../payment/report.ts';
import { USUAL_SUMS, type SumRules } from '../payment/amounts.ts';
import { applySums } from './apply-sums.ts';
import { applyStandstill, type StallRules } from './stall.ts';
import { isFinal, isStatus, isWatched, judgeMove, type Status } from '../payment/status.ts';
import { contradict, withAnomalies } from './tell-anomalies.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** The rules by which a report is judged. */
export interface ReportRules extends StallRules {
  /** `require`: COMPLETED waits for its proof on chain: see apply-proof.ts. Left out: `off`. */
  readonly verify?: Verify;
  /** Left out: USUAL_SUMS. */
  readonly sums?: SumRules;
}

/** Stored texts besides the payment that give its next report a meaning. */
export interface StoredBeside {
  /** The stored report of a completed payment; null: there is none, or the payment has not completed. */
  readonly completedReport: string | null;
  /** The chain's finding about the completion; null: VERIFY was never on for this payment. */
  readonly verification: Verification | null;
}

/**
 * The event that publishes a state again after a restore. `payment.created` and `payment.completed` come once per payment, so
 * `payment.updated` stands for both.
 */
const TYPE_OF_STATE: Readonly<Record<Status, EventType>> = {
  ...TYPE_OF_STATUS,
  AWAITING_DEPOSIT: 'payment.updated',
  COMPLETED: 'payment.updated',
};

/** Starts a payment with its first event, `payment.created`. */
export function openPayment(payment: Payment): Transition {
  const opened = numbered(payment);
  const event = draftOf('payment.created', payment, opened, { previousStatus: null, reportText: null });
  return { payment: opened, events: [event], report: null };
}

/**
 * Applies a usable report. The status only moves forward. A report that changes nothing makes no event, except for the first
 * one after the database went back: consumers may have received another state.
 */
export function applyReport(
  payment: Payment,
  reported: Report,
  now: Date,
  rules: ReportRules,
  { completedReport = null, verification: known = null }: Partial<StoredBeside> = {},
): Transition {
  const { report, match } = applySums(payment, reported, rules.sums ?? USUAL_SUMS);
  const isWithheld =
    isCompletion(report) &&
    !isFinal(payment.status) &&
    (rules.verify === 'require' || (known !== null && isHeld(payment, known.state)));
  const verification = known ?? ((rules.verify ?? 'off') === 'off' ? null : PENDING);
  const moved = judge(endSilence(payment), report, now, isWithheld, { completedReport, verification });
  const judged = moved.report === null ? moved : { ...moved, payment: { ...moved.payment, match } };
  // A withheld payment is not stalled: the provider has done its part, and the proof has a patience of its own.
  return publishState(isWithheld ? judged : applyStandstill(judged, now, rules));
}

function publishState(transition: Transition): Transition {
  const { payment, report } = transition;
  if (payment.previousSequence === null) return transition;
  const published = numbered(payment);
  const event = draftOf(TYPE_OF_STATE[payment.status], payment, published, { reportText: undefined });
  return { payment: published, events: [event], report };
}

/** The provider has answered: the silence that a stall event reported is over. */
function endSilence(payment: Payment): Payment {
  if (!payment.stalls.includes('provider_silent')) return payment;
  return { ...payment, stalls: payment.stalls.filter((reason) => reason !== 'provider_silent') };
}

function judge(
  payment: Payment,
  report: Report,
  now: Date,
  isWithheld: boolean,
  stored: StoredBeside,
): Transition {
  const { status: word, depositAddress } = report;
  const { address } = payment.partDigests;
  if (depositAddress !== null && address !== '' && addressDigest(depositAddress) !== address)
    return withheldText(contradict(payment, report, 'other_address', depositAddress), isWithheld);
  const changed = changeAfterCompletion(payment, report, stored.completedReport);
  if (changed !== null) return changed;
  if (!isStatus(word)) return contradict(payment, report, 'unknown_status', word);
  if (isWithheld) return withAnomalies(withhold(payment, report, now, stored), report);
  const move = judgeMove(payment.status, word);
  if (move === 'same') return updateTold(payment, report, now);
  if (move === 'back') return contradict(payment, report, 'went_back', `${payment.status}>${word}`);
  return advanceTold(payment, report, word, now, stored.verification);
}

/** Stores the report and leaves the payment on its way: no event says COMPLETED before the proof. */
function withhold(
  payment: Payment,
  report: Report,
  now: Date,
  { verification: stored }: StoredBeside,
): Transition {
  const isOnItsWay = ['same', 'back'].includes(judgeMove(payment.status, 'EXECUTING'));
  const { events, ...moved } = isOnItsWay
    ? update(payment, report, now)
    : advance(payment, report, 'EXECUTING', now);
  const { status } = moved.payment;
  // A contradiction stands until a proof; any other verification starts anew with this report.
  const verification = stored?.state === 'contradicted' ? stored : PENDING;
  const shown = { reportText: shownReport(report.text, status), verification };
  return { ...moved, events: events.map((event) => ({ ...event, ...shown })) };
}

/** No event says COMPLETED before the proof, not even one about a refused report. */
function withheldText({ events, ...transition }: Transition, isWithheld: boolean): Transition {
  const told = events.map((event) =>
    isWithheld && typeof event.reportText === 'string'
      ? { ...event, reportText: shownReport(event.reportText, event.status) }
      : event,
  );
  return { ...transition, events: told };
}

/** Puts the anomalies of a completion before its event: a shop that ships on `payment.completed` has seen them by then. */
function advanceTold(
  payment: Payment,
  report: Report,
  status: Status,
  now: Date,
  verification: Verification | null,
): Transition {
  if (status !== 'COMPLETED') return withAnomalies(advance(payment, report, status, now), report);
  const told = withAnomalies(unchanged(payment), report);
  const { events, ...completed } = advance(told.payment, report, status, now);
  const shown = verification === null ? {} : { verification };
  return { ...completed, events: [...told.events, ...events.map((event) => ({ ...event, ...shown }))] };
}

function advance(payment: Payment, report: Report, status: Status, now: Date): Transition {
  const hasEnded = isFinal(status) || isWatched(status);
  const moved: Payment = {
    ...numbered(payment),
    status,
    late: payment.late || isWatched(payment.status),
    tracking: hasEnded ? 'watching' : 'active',
    expiresAt: report.expiresAt ?? payment.expiresAt,
    progressAt: now,
    endedAt: hasEnded ? now : null,
    partDigests: mergePartDigests(payment.partDigests, report),
    reportDigest: report.digest,
    stalls: [],
    resolution: null,
  };
  const event = draftOf(TYPE_OF_STATUS[status], payment, moved, {
    previousStatus: payment.status,
    reportText: report.text,
  });
  return { payment: moved, events: [event], report };
}
