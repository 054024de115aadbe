import { isNamedAsRefusing } from '../../domain/delivery/endpoint-state.ts';
import {
  PAYMENT_TROUBLES,
  type PaymentTrouble,
  TROUBLE_CODES,
} from '../../domain/attention/payment-troubles.ts';
import {
  type EndpointTrouble,
  MOST_LISTED,
  type PaymentNeeds,
  type PaymentSums,
  type TroubledEndpoint,
  type TroubledEndpoints,
  type UpTo,
} from '../../ports/attention.ts';
import type { DestinationFacts } from '../../ports/destination-facts.ts';
import { stateFactsOf } from '../../ports/destination-state.ts';
import { type AttentionItem, counted, hrefOfOnly, itemOf, verb } from './attention-item.ts';
import { unsentWords } from './untold-items.ts';

/** The most destinations that a sentence names. */
const MOST_TOLD = 3;

/** The words after the number of payments, or of `counts`. */
const PAYMENTS: Readonly<Record<PaymentTrouble, readonly [one: string, several: string, counts?: string]>> = {
  contradicted: [
    'is reported as completed, and its chain shows otherwise.',
    'are reported as completed, and their chains show otherwise.',
  ],
  depositUnseen: [
    'has a deposit on its chain that its provider does not report.',
    'have deposits on their chains that their providers do not report.',
  ],
  unverified: [
    'is reported as completed, and no chain has proven it in time.',
    'are reported as completed, and no chain has proven them in time.',
  ],
  paidTwice: [
    'has more than one completed payment: give back what is too much, and resolve it as a duplicate.',
    'have more than one completed payment: give back what is too much, and resolve it as a duplicate.',
    'order',
  ],
  anomaly: ['has reports that contradict each other.', 'have reports that contradict each other.'],
  short: [
    'came in part, and the rest went back or is missing: settle the difference.',
    'came in part, and the rest went back or is missing: settle the differences.',
  ],
  wrongSum: [
    'was paid with another sum or token than asked: settle the difference.',
    'were paid with other sums or tokens than asked: settle the differences.',
  ],
  stalled: ['makes no progress.', 'make no progress.'],
  late: ['went on after it had expired or failed.', 'went on after they had expired or failed.'],
};

/** Each payment stands in the item of its first trouble. */
export function paymentItems({ troubles }: PaymentNeeds): AttentionItem[] {
  return PAYMENT_TROUBLES.flatMap((trouble) => {
    const needy = troubles[trouble];
    const [one, several, counts = 'payment'] = PAYMENTS[trouble];
    if (needy.count === 0) return [];
    const detail = `${counted(needy, counts)} ${verb(needy.count, one, several)}`;
    return [itemOf(TROUBLE_CODES[trouble], { ...needy, detail })];
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

/** `destinations` say which events a disabled endpoint was not sent. */
export function endpointItems(
  trouble: EndpointTrouble,
  troubled: TroubledEndpoints,
  destinations: readonly DestinationFacts[] = [],
): AttentionItem[] {
  const { count, since, endpoints, unacknowledged } = troubled;
  if (count === 0) return [];
  const what =
    trouble === 'disabled'
      ? `${verb(count, 'is', 'are')} disabled and ${verb(count, 'gets', 'get')} no events.`
      : `${verb(count, 'fails', 'fail')} and ${verb(count, 'gets', 'get')} only retries or probes.`;
  const unsent = destinations.filter(
    ({ rowId, enabled }) => !enabled && endpoints.some(({ id }) => id === rowId),
  );
  const detail = [
    `The webhook ${verb(count, 'endpoint', 'endpoints')} ${namesOf(endpoints, count)} ${what}`,
    ...unsent.slice(0, MOST_TOLD).flatMap(unsentWords),
    ...unacknowledgedWords(unacknowledged),
  ];
  const code = trouble === 'disabled' ? 'endpoints_disabled' : 'endpoints_failing';
  const ids = endpoints.map(({ id }) => id);
  const facts = { count, since, endpoints, payments: unacknowledged, detail: detail.join(' ') };
  return [itemOf(code, { ...facts, ...hrefOfOnly(ids, count) })];
}

/** `shop EU, shop US and 2 more` */
function namesOf(endpoints: readonly TroubledEndpoint[], count: number): string {
  const named = endpoints.slice(0, MOST_TOLD).map(({ url, description }) => description ?? url);
  return count > named.length ? `${named.join(', ')} and ${count - named.length} more` : named.join(', ');
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
  const detail = `${refusing.slice(0, MOST_TOLD).map(refusalWords).join('. ')}.`;
  const ids = refusing.map(({ id }) => id);
  const facts = { count, since: since[0] ?? null, endpoints, detail };
  return [itemOf('endpoints_refusing', { ...facts, ...hrefOfOnly(ids, count) })];
}

/** `shop EU refuses 2 payments and takes others: A-17, A-18` */
function refusalWords({ name, refused: { payments, examples } }: DestinationFacts): string {
  const names = examples.map(({ orderId, quoteId }) => orderId ?? quoteId);
  const more = payments > names.length ? ` and ${payments - names.length} more` : '';
  return `${name} refuses ${counted({ count: payments }, 'payment')} and takes others: ${names.join(', ')}${more}`;
}

/** A destination without a URL is no endpoint. */
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
