import type { AnomalyReason } from '../event/event-data.ts';
import { TYPE_OF_STATUS, type EventType } from '../event/event.ts';
import { PENDING } from '../proof/verification.ts';
import { shownReport } from './shown-report.ts';
import { contradictionOf, isNewContradiction } from './contradictions.ts';
import type { ReportedAnomaly } from './outcome.ts';
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
import { applyStandstill, type StallRules } from './stall.ts';
import { isFinal, isStatus, isWatched, judgeMove, type Status } from './status.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** The rules by which a report is judged. */
export interface ReportRules extends StallRules {
  /** COMPLETED waits for its proof on chain: see apply-proof.ts. */
  readonly withholdsCompleted?: boolean;
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
 * one after the database went back: what consumers got may have been another state.
 */
export function applyReport(payment: Payment, report: Report, now: Date, rules: ReportRules): Transition {
  const isWithheld = rules.withholdsCompleted === true && isCompletion(report) && !isFinal(payment.status);
  const judged = judge(endSilence(payment), report, now, isWithheld);
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

function judge(payment: Payment, report: Report, now: Date, isWithheld: boolean): Transition {
  const { status: word, depositAddress } = report;
  const { address } = payment.partDigests;
  if (depositAddress !== null && address !== '' && addressDigest(depositAddress) !== address)
    return withheldText(contradict(payment, report, 'other_address', depositAddress), isWithheld);
  if (!isStatus(word)) return contradict(payment, report, 'unknown_status', word);
  if (isWithheld) return withAnomaly(withhold(payment, report, now), report);
  const move = judgeMove(payment.status, word);
  if (move === 'same') return withAnomaly(update(payment, report, now), report);
  if (move === 'back') return contradict(payment, report, 'went_back', `${payment.status}>${word}`);
  if (move === 'after_completed') return contradict(payment, report, 'changed_after_completed', word);
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

/** The anomalies of a completion come before it, so that a shop that ships on `payment.completed` has seen them. */
function advanceTold(payment: Payment, report: Report, status: Status, now: Date): Transition {
  if (status !== 'COMPLETED') return withAnomaly(advance(payment, report, status, now), report);
  const told = withAnomaly(unchanged(payment), report);
  const completed = advance(told.payment, report, status, now);
  return { ...completed, events: [...told.events, ...completed.events] };
}

/** Tells once of what the report itself says is odd. */
function withAnomaly(transition: Transition, report: Report): Transition {
  const { payment } = transition;
  const reasons = report.anomalies.map((anomaly) => reasonOf(anomaly, payment));
  return reasons
    .filter((reason) => isNewContradiction(payment, reason))
    .reduce(tellAnomaly(report), transition);
}

/** A failure that the provider names after its success is a change of its mind. */
function reasonOf(anomaly: ReportedAnomaly, { status }: Payment): AnomalyReason {
  return anomaly === 'contradictory_output' && status === 'COMPLETED' ? 'changed_after_completed' : anomaly;
}

function tellAnomaly({ text }: Report) {
  return (told: Transition, reason: AnomalyReason): Transition => {
    const { payment, events } = told;
    const marked: Payment = { ...numbered(payment), contradictions: payment.contradictions.concat(reason) };
    const reportText = shownReport(text, payment.status);
    const event = draftOf('payment.anomaly', payment, marked, { reason, reportText });
    return { ...told, payment: marked, events: events.concat(event) };
  };
}

function advance(payment: Payment, report: Report, status: Status, now: Date): Transition {
  const moved: Payment = {
    ...numbered(payment),
    status,
    late: payment.late || isWatched(payment.status),
    tracking: isFinal(status) ? 'closed' : isWatched(status) ? 'watching' : 'active',
    expiresAt: report.expiresAt ?? payment.expiresAt,
    progressAt: now,
    endedAt: isWatched(status) ? now : null,
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

/** Keeps the stored status and report, and makes one anomaly event for each distinct contradiction. */
function contradict(payment: Payment, report: Report, reason: AnomalyReason, detail: string): Transition {
  const contradiction = contradictionOf(reason, detail);
  if (!isNewContradiction(payment, contradiction)) return unchanged(payment);
  // A payment without a report stores even a contradicting one: without it a status request could not be answered. No payer is shown another address.
  const isFirst = payment.reportDigest === '' && reason !== 'other_address';
  const contradicted: Payment = {
    ...numbered(payment),
    reportDigest: isFirst ? report.digest : payment.reportDigest,
    contradictions: [...payment.contradictions, contradiction],
  };
  const event = draftOf('payment.anomaly', payment, contradicted, { reason, reportText: report.text });
  return { payment: contradicted, events: [event], report: isFirst ? report : null };
}
