import type { AnomalyReason } from '../event/event-data.ts';
import { contradictionOf, isNewContradiction } from '../payment/contradictions.ts';
import type { ReportedAnomaly } from '../payment/outcome.ts';
import type { Payment } from '../payment/payment.ts';
import type { Report } from '../payment/report.ts';
import { shownReport } from '../payment/shown-report.ts';
import { contradictedBy, draftOf, unchanged, type Transition } from './transition.ts';

/** Reports each anomaly of the report once. */
export function withAnomalies(transition: Transition, report: Report): Transition {
  const { payment } = transition;
  const reasons = report.anomalies.map((anomaly) => reasonOf(anomaly, payment));
  return reasons
    .filter((reason) => isNewContradiction(payment, reason))
    .reduce(tellAnomaly(report), transition);
}

/** A failure that the provider names after its success is a contradiction of its own report. */
export function reasonOf(anomaly: ReportedAnomaly, { status }: Payment): AnomalyReason {
  return anomaly === 'contradictory_output' && status === 'COMPLETED' ? 'changed_after_completed' : anomaly;
}

function tellAnomaly({ text }: Report) {
  return (told: Transition, reason: AnomalyReason): Transition => {
    const { payment, events } = told;
    const marked = contradictedBy(payment, reason);
    const reportText = shownReport(text, payment.status);
    const event = draftOf('payment.anomaly', payment, marked, { reason, reportText });
    return { ...told, payment: marked, events: events.concat(event) };
  };
}

/** Keeps the stored status and report, and makes one anomaly event for each distinct contradiction. */
export function contradict(
  payment: Payment,
  report: Report,
  reason: AnomalyReason,
  detail: string,
): Transition {
  const contradiction = contradictionOf(reason, detail);
  if (!isNewContradiction(payment, contradiction)) return unchanged(payment);
  // A payment without a report stores a contradicting one too: otherwise a status request could not be answered. But a payer
  // is never shown another address.
  const isFirst = payment.reportDigest === '' && reason !== 'other_address';
  const contradicted: Payment = {
    ...contradictedBy(payment, contradiction),
    reportDigest: isFirst ? report.digest : payment.reportDigest,
  };
  const event = draftOf('payment.anomaly', payment, contradicted, { reason, reportText: report.text });
  return { payment: contradicted, events: [event], report: isFirst ? report : null };
}
