import type { Payment, PaymentEvent, PaymentsPage } from '../../api/types.ts';

/**
 * The same rows, updated by the newest page where it knows no fewer events. Some facts change without an event, such as the end of the
 * patience for a proof.
 */
export function withNewer(
  payments: readonly Payment[],
  newest: Pick<PaymentsPage, 'data'> | undefined,
): readonly Payment[] {
  const known = new Map(newest?.data.map((payment) => [payment.quoteId, payment]));
  return payments.map((payment) => {
    const newer = known.get(payment.quoteId);
    return newer !== undefined && newer.sequence >= payment.sequence ? newer : payment;
  });
}

/** The payment after an event. The report of an anomaly is not the payment's. */
export function changed(payment: Payment, { time, type, data }: PaymentEvent): Payment {
  if (data.sequence <= payment.sequence) return payment;
  const isReported = type !== 'payment.anomaly' && data.payment !== null;
  return {
    ...payment,
    status: data.status as Payment['status'],
    orderId: data.orderId,
    late: payment.late || data.late,
    sequence: data.sequence,
    updatedAt: time,
    report: isReported ? data.payment : payment.report,
    amounts: isReported ? (data.amounts ?? payment.amounts) : payment.amounts,
    verification: data.verification ?? payment.verification,
    resolution: resolutionAfter(payment, type, data),
  };
}

/** A new status removes a resolution, and an anomaly a release. */
function resolutionAfter(
  { status, resolution }: Payment,
  type: string,
  data: PaymentEvent['data'],
): Payment['resolution'] {
  if (data.resolution !== undefined) return data.resolution as Payment['resolution'];
  const isEnded = data.status !== status || (type === 'payment.anomaly' && resolution?.reason === 'released');
  return isEnded ? null : resolution;
}
