import type { AnomalyReason } from '../event/event-data.ts';
import { TYPE_OF_STATUS, type EventDraft } from '../event/event.ts';
import type { Payment } from './payment.ts';
import { mergeMarks, sameMarks, type Report } from './report.ts';
import { reportStandstill, type StallRules } from './stall.ts';
import { isStatus, isWatched, judgeMove, type Status } from './status.ts';
import { unchanged, type Transition } from './transition.ts';

/** A provider that contradicts itself in ever new words must not grow the row for ever. */
const MAX_CONTRADICTIONS = 50;
const MAX_CONTRADICTION_LENGTH = 200;

/** The first event of a payment. */
export function openPayment(payment: Payment): Transition {
  const created: EventDraft = {
    type: 'payment.created',
    sequence: payment.sequence + 1,
    status: payment.status,
    previousStatus: null,
    late: false,
    reportText: null,
  };
  return { payment: { ...payment, sequence: created.sequence }, events: [created], report: null };
}

/** Applies a usable report: forward only, one event for each fact, nothing for what is known already. */
export function applyReport(payment: Payment, report: Report, now: Date, rules: StallRules): Transition {
  return reportStandstill(judge(noteAnswer(payment), report, now), now, rules);
}

/** The provider speaks again: its silence, if it was told, is over. */
function noteAnswer(payment: Payment): Payment {
  if (!payment.stalls.includes('provider_silent')) return payment;
  return { ...payment, stalls: payment.stalls.filter((reason) => reason !== 'provider_silent') };
}

function judge(payment: Payment, report: Report, now: Date): Transition {
  const word = report.status ?? payment.status;
  if (!isStatus(word)) return contradict(payment, report, 'unknown_status', word);
  const move = judgeMove(payment.status, word);
  if (move === 'same') return update(payment, report, now);
  if (move === 'back') return contradict(payment, report, 'went_back', `${payment.status}>${word}`);
  if (move === 'after_completed') return contradict(payment, report, 'changed_after_completed', word);
  return advance(payment, report, word, now);
}

function advance(payment: Payment, report: Report, status: Status, now: Date): Transition {
  const moved: Payment = {
    ...payment,
    status,
    late: payment.late || isWatched(payment.status),
    sequence: payment.sequence + 1,
    tracking: status === 'COMPLETED' ? 'closed' : isWatched(status) ? 'watching' : 'active',
    expiresAt: report.expiresAt ?? payment.expiresAt,
    progressAt: now,
    endedAt: isWatched(status) ? now : null,
    marks: mergeMarks(payment.marks, report.marks),
    reportDigest: report.mark,
    stalls: [],
  };
  const event: EventDraft = {
    type: TYPE_OF_STATUS[status as keyof typeof TYPE_OF_STATUS],
    sequence: moved.sequence,
    status,
    previousStatus: payment.status,
    late: moved.late,
    reportText: report.text,
  };
  return { payment: moved, events: [event], report };
}

function update(payment: Payment, report: Report, now: Date): Transition {
  if (report.mark === payment.reportDigest) return unchanged(payment);
  const marks = mergeMarks(payment.marks, report.marks);
  const expiresAt = report.expiresAt ?? payment.expiresAt;
  const reread: Payment = { ...payment, expiresAt, marks, reportDigest: report.mark };
  if (sameMarks(marks, payment.marks)) return { payment: reread, events: [], report };
  const updated: Payment = { ...reread, sequence: payment.sequence + 1, progressAt: now, stalls: [] };
  const event: EventDraft = {
    type: 'payment.updated',
    sequence: updated.sequence,
    status: payment.status,
    previousStatus: payment.status,
    late: payment.late,
    reportText: report.text,
  };
  return { payment: updated, events: [event], report };
}

/** The stored status stands, and so does the stored report; the world is told once of each contradiction. */
function contradict(payment: Payment, report: Report, reason: AnomalyReason, what: string): Transition {
  const contradiction = `${reason}:${what}`.slice(0, MAX_CONTRADICTION_LENGTH).replace(/\p{C}/gu, ' ');
  const isReported = payment.contradictions.includes(contradiction);
  if (isReported || payment.contradictions.length >= MAX_CONTRADICTIONS) return unchanged(payment);
  // A payment without any report yet keeps even this one: it is all that can be answered about it.
  const isFirst = payment.reportDigest === '';
  const published: Payment = {
    ...payment,
    reportDigest: isFirst ? report.mark : payment.reportDigest,
    sequence: payment.sequence + 1,
    contradictions: [...payment.contradictions, contradiction],
  };
  const event: EventDraft = {
    type: 'payment.anomaly',
    sequence: published.sequence,
    status: payment.status,
    previousStatus: payment.status,
    late: payment.late,
    reason,
    reportText: report.text,
  };
  return { payment: published, events: [event], report: isFirst ? report : null };
}
