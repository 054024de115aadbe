import { isNamedAsRefusing } from '../../domain/delivery/endpoint-state.ts';
import {
  type EndpointTrouble,
  MOST_LISTED,
  type PaymentSums,
  type PaymentTrouble,
  type TroubledEndpoint,
  type TroubledEndpoints,
  type UpTo,
} from '../../ports/attention.ts';
import type { DestinationFacts } from '../../ports/destination-facts.ts';
import { stateFactsOf } from '../../ports/destination-state.ts';
import { type AttentionItem, type Code, counted, itemOf, verb } from './attention-item.ts';

/** The most destinations that a sentence names. */
const MOST_NAMED = 3;

/** The words after the number of payments, or of `counts`. */
const PAYMENTS: Readonly<
  Record<PaymentTrouble, readonly [code: Code, one: string, several: string, counts?: string]>
> = {
  stalled: ['payments_stalled', 'makes no progress.', 'make no progress.'],
  paidTwice: [
    'order_paid_twice',
    'has more than one completed payment: give back what is too much, and resolve it as a duplicate.',
    'have more than one completed payment: give back what is too much, and resolve it as a duplicate.',
    'order',
  ],
  anomaly: [
    'payments_anomaly',
    'has a wrong sum, or reports that contradict each other.',
    'have wrong sums, or reports that contradict each other.',
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
    const [code, one, several, counts = 'payment'] = PAYMENTS[trouble];
    if (upTo.count === 0) return [];
    return [itemOf(code, { ...upTo, detail: `${counted(upTo, counts)} ${verb(upTo.count, one, several)}` })];
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

/** Destinations that take some payments and refuse others. */
export function refusingItems(destinations: readonly DestinationFacts[], now: Date): AttentionItem[] {
  const refusing = destinations.filter((each) => isNamedAsRefusing(stateFactsOf(each, null), now));
  const { length: count } = refusing;
  if (count === 0) return [];
  const since = refusing
    .flatMap(({ refused }) => refused.since ?? [])
    .toSorted((one, other) => +one - +other);
  const endpoints = refusing.flatMap(troubledOf).slice(0, MOST_LISTED);
  const detail = `${refusing.slice(0, MOST_NAMED).map(refusalWords).join('. ')}.`;
  return [itemOf('endpoints_refusing', { count, since: since[0] ?? null, endpoints, detail })];
}

/** `shop EU refuses 2 payments and takes others: A-17, A-18` */
function refusalWords({ name, refused: { payments, examples } }: DestinationFacts): string {
  const names = examples.map(({ orderId, quoteId }) => orderId ?? quoteId);
  const more = payments > names.length ? ` and ${payments - names.length} more` : '';
  return `${name} refuses ${counted({ count: payments }, 'payment')} and takes others: ${names.join(', ')}${more}`;
}

/** Without a URL it is no endpoint. */
function troubledOf(facts: DestinationFacts): TroubledEndpoint[] {
  const { rowId: id, url, name, circuit, failingSince, disabledReason } = facts;
  return url === null
    ? []
    : [{ id, url, description: name === url ? null : name, circuit, failingSince, disabledReason }];
}

function unacknowledgedWords(unacknowledged: PaymentSums): string[] {
  if (unacknowledged.count === 0) return [];
  const payments = counted(unacknowledged, 'paid payment').replace(/^At/, 'at');
  return [`No destination has acknowledged the newest event of ${payments}.`];
}
