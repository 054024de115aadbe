import type { Payment } from '../payment/payment.ts';
import {
  differInNoiseAlone,
  isFirstNoise,
  mergePartDigests,
  noiseHeldUntil,
  samePartDigests,
  withNoiseOf,
  type PartDigests,
  type Report,
} from '../payment/report.ts';
import { withAnomalies } from './tell-anomalies.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** An anomaly reports the change already, so that no `payment.updated` reports it again. */
export function updateTold(payment: Payment, report: Report, now: Date): Transition {
  const told = withAnomalies(unchanged(payment), report);
  if (told.events.length === 0) return update(payment, report, now);
  const partDigests = mergePartDigests(payment.partDigests, report);
  return { ...told, payment: { ...rereadBy(told.payment, report, partDigests), progressAt: now }, report };
}

export function update(payment: Payment, report: Report, now: Date): Transition {
  const { partDigests: told } = payment;
  const partDigests = mergePartDigests(told, report);
  const isNoise = differInNoiseAlone(partDigests, told);
  const isHeld = isNoise && now.getTime() < noiseHeldUntil(told);
  if (isHeld || samePartDigests(partDigests, told))
    return keep(payment, report, withNoiseOf(partDigests, told));
  // A payment whose noise changes, and nothing else, makes no progress.
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

/**
 * Keeps the report without an event. The change that is held back stays different from the kept digests, and a later poll or
 * event reports it.
 */
function keep(payment: Payment, report: Report, partDigests: PartDigests): Transition {
  if (report.digest === payment.reportDigest) return unchanged(payment);
  return { payment: rereadBy(payment, report, partDigests), events: [], report };
}

function rereadBy(payment: Payment, report: Report, partDigests: PartDigests): Payment {
  const expiresAt = report.expiresAt ?? payment.expiresAt;
  return { ...payment, expiresAt, partDigests, reportDigest: report.digest };
}
