import type {
  EndpointTrouble,
  PaymentTrouble,
  TroubledEndpoints,
  PaymentSums,
  UpTo,
} from '../../ports/attention.ts';
import { type AttentionItem, type Code, counted, itemOf, verb } from './attention-item.ts';

/** What is said about payments, after their number. */
const PAYMENTS: Readonly<Record<PaymentTrouble, readonly [code: Code, one: string, several: string]>> = {
  stalled: ['payments_stalled', 'makes no progress.', 'make no progress.'],
  anomaly: [
    'payments_anomaly',
    'has reports that contradict each other.',
    'have reports that contradict each other.',
  ],
  late: [
    'payments_late',
    'went on after it had expired or failed.',
    'went on after they had expired or failed.',
  ],
};

export function paymentItems(troubles: Readonly<Record<PaymentTrouble, UpTo>>): AttentionItem[] {
  return (Object.keys(PAYMENTS) as PaymentTrouble[]).flatMap((trouble) => {
    const upTo = troubles[trouble];
    const [code, one, several] = PAYMENTS[trouble];
    if (upTo.count === 0) return [];
    return [
      itemOf(code, { ...upTo, detail: `${counted(upTo, 'payment')} ${verb(upTo.count, one, several)}` }),
    ];
  });
}

export function failedItems(failed: UpTo): AttentionItem[] {
  if (failed.count === 0) return [];
  const were = verb(failed.count, 'was', 'were');
  const detail = `${counted(failed, 'delivery', 'deliveries')} ${were} given up: no attempt follows.`;
  return [itemOf('deliveries_failed', { ...failed, detail })];
}

export function unroutableItems(unroutable: UpTo): AttentionItem[] {
  if (unroutable.count === 0) return [];
  const were = verb(unroutable.count, 'was', 'were');
  const detail = `${counted(unroutable, 'event')} of the last day ${were} not published: no queue is bound for the type.`;
  return [itemOf('events_unroutable', { ...unroutable, detail })];
}

export function endpointItems(trouble: EndpointTrouble, troubled: TroubledEndpoints): AttentionItem[] {
  const { count, since, endpoints, unacknowledged } = troubled;
  if (count === 0) return [];
  const what =
    trouble === 'disabled'
      ? `${verb(count, 'is', 'are')} disabled and ${verb(count, 'gets', 'get')} no events.`
      : `${verb(count, 'fails', 'fail')} and ${verb(count, 'gets', 'get')} only retries or probes.`;
  const detail = [
    `${counted({ count }, 'webhook endpoint')} ${what}`,
    ...unacknowledgedWords(unacknowledged),
  ];
  const code = trouble === 'disabled' ? 'endpoints_disabled' : 'endpoints_failing';
  return [itemOf(code, { count, since, endpoints, payments: unacknowledged, detail: detail.join(' ') })];
}

function unacknowledgedWords(unacknowledged: PaymentSums): string[] {
  if (unacknowledged.count === 0) return [];
  const payments = counted(unacknowledged, 'paid payment').replace(/^At/, 'at');
  return [`No destination has acknowledged the newest event of ${payments}.`];
}
