import { TYPE_OF_STATUS, type EventType } from '../event/event.ts';
import { PENDING } from '../proof/verification.ts';
import { shownReport } from './shown-report.ts';
import { changeAfterCompletion } from './after-completion.ts';
import type { Payment } from './payment.ts';
import {
  addressDigest,
  differInNoiseAlone,
  isCompletion,
  isFirstNoise,
  mergePartDigests,
  noiseHeldUntil,
  samePartDigests,
  withNoiseOf,
  type PartDigests,
  type Report,
} from './report.ts';
import { USUAL_SUMS, type SumRules } from './amounts.ts';
import { applySums } from './apply-sums.ts';
import { applyStandstill, type StallRules } from './stall.ts';
import { isFinal, isStatus, isWatched, judgeMove, type Status } from './status.ts';
import { contradict, withAnomalies } from './tell-anomalies.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** The rules by which a report is judged. */
export interface ReportRules extends StallRules {
  /** COMPLETED waits for its proof on chain: see apply-proof.ts. */
  readonly withholdsCompleted?: boolean;
  /** Left out: USUAL_SUMS. */
  readonly sums?: SumRules;
}

/** There is one `payment.created` and one `payment.completed` of a payment, and both ends of it are in the database. */
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
 * Applies a usable report. The status only moves forward; a report that changes nothing makes no event, except for the first
 * one after the database went back: consumers may have got another state. `completedReport`: the stored one of a completed payment.
 */
export function applyReport(
  payment: Payment,
  reported: Report,
  now: Date,
  rules: ReportRules,
  completedReport: string | null = null,
): Transition {
  const { report, match } = applySums(payment, reported, rules.sums ?? USUAL_SUMS);
  const isWithheld = rules.withholdsCompleted === true && isCompletion(report) && !isFinal(payment.status);
  const moved = judge(endSilence(payment), report, now, isWithheld, completedReport);
  const judged = moved.report === null ? moved : { ...moved, payment: { ...moved.payment, match } };
  // The provider has done its part: what stands still is the proof, which has its own patience.
  return publishState(isWithheld ? judged : applyStandstill(judged, now, rules));
}

function publishState(transition: Transition): Transition {
  const { payment, report } = transition;
  if (payment.previousSequence === null) return transition;
  const published = numbered(payment);
  const event = draftOf(TYPE_OF_STATE[payment.status], payment, published, { reportText: undefined });
  return { payment: published, events: [event], report };
}

/** The provider has answered: a silence that a stall event reported is over. */
function endSilence(payment: Payment): Payment {
  if (!payment.stalls.includes('provider_silent')) return payment;
  return { ...payment, stalls: payment.stalls.filter((reason) => reason !== 'provider_silent') };
}

function judge(
  payment: Payment,
  report: Report,
  now: Date,
  isWithheld: boolean,
  completedReport: string | null,
): Transition {
  const { status: word, depositAddress } = report;
  const { address } = payment.partDigests;
  if (depositAddress !== null && address !== '' && addressDigest(depositAddress) !== address)
    return withheldText(contradict(payment, report, 'other_address', depositAddress), isWithheld);
  const changed = changeAfterCompletion(payment, report, completedReport);
  if (changed !== null) return changed;
  if (!isStatus(word)) return contradict(payment, report, 'unknown_status', word);
  if (isWithheld) return withAnomalies(withhold(payment, report, now), report);
  const move = judgeMove(payment.status, word);
  if (move === 'same') return updateTold(payment, report, now);
  if (move === 'back') return contradict(payment, report, 'went_back', `${payment.status}>${word}`);
  return advanceTold(payment, report, word, now);
}

/** Stores the report and leaves the payment on its way: no event says COMPLETED before the proof. */
function withhold(payment: Payment, report: Report, now: Date): Transition {
  const isOnItsWay = ['same', 'back'].includes(judgeMove(payment.status, 'EXECUTING'));
  const { events, ...moved } = isOnItsWay
    ? update(payment, report, now)
    : advance(payment, report, 'EXECUTING', now);
  const { status } = moved.payment;
  const shown = { reportText: shownReport(report.text, status), verification: PENDING };
  return { ...moved, events: events.map((event) => ({ ...event, ...shown })) };
}

/** No event says COMPLETED before the proof, not even by a report that is refused. */
function withheldText({ events, ...transition }: Transition, isWithheld: boolean): Transition {
  const told = events.map((event) =>
    isWithheld && typeof event.reportText === 'string'
      ? { ...event, reportText: shownReport(event.reportText, event.status) }
      : event,
  );
  return { ...transition, events: told };
}

/** An anomaly of a report tells of it: no `payment.updated` says beside it that something has changed. */
function updateTold(payment: Payment, report: Report, now: Date): Transition {
  const told = withAnomalies(unchanged(payment), report);
  if (told.events.length === 0) return update(payment, report, now);
  const partDigests = mergePartDigests(payment.partDigests, report);
  return { ...told, payment: { ...rereadBy(told.payment, report, partDigests), progressAt: now }, report };
}

/** The anomalies of a completion come before it, so that a shop that ships on `payment.completed` has seen them. */
function advanceTold(payment: Payment, report: Report, status: Status, now: Date): Transition {
  if (status !== 'COMPLETED') return withAnomalies(advance(payment, report, status, now), report);
  const told = withAnomalies(unchanged(payment), report);
  const completed = advance(told.payment, report, status, now);
  return { ...completed, events: [...told.events, ...completed.events] };
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

function update(payment: Payment, report: Report, now: Date): Transition {
  const { partDigests: told } = payment;
  const partDigests = mergePartDigests(told, report);
  const isNoise = differInNoiseAlone(partDigests, told);
  const isHeld = isNoise && now.getTime() < noiseHeldUntil(told);
  if (isHeld || samePartDigests(partDigests, told))
    return keep(payment, report, withNoiseOf(partDigests, told));
  // A payment that stands still while its noise changes is stalled.
  const isProgress = !isNoise || isFirstNoise(partDigests, told);
  const updated = numbered({
    ...rereadBy(payment, report, isNoise ? { ...partDigests, noiseToldAt: now.getTime() } : partDigests),
    ...(isProgress
      ? { progressAt: now, stalls: payment.stalls.filter((each) => each === 'unverified') }
      : {}),
  });
  const event = draftOf('payment.updated', payment, updated, { reportText: report.text });
  return { payment: updated, events: [event], report };
}

/** Without an event. What is held back differs from the digests that are kept, and is told by a later poll or event. */
function keep(payment: Payment, report: Report, partDigests: PartDigests): Transition {
  if (report.digest === payment.reportDigest) return unchanged(payment);
  return { payment: rereadBy(payment, report, partDigests), events: [], report };
}

function rereadBy(payment: Payment, report: Report, partDigests: PartDigests): Payment {
  const expiresAt = report.expiresAt ?? payment.expiresAt;
  return { ...payment, expiresAt, partDigests, reportDigest: report.digest };
}
