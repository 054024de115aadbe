import type { Attempt, Delivery, DeliveryDetail, PaymentEvent } from '../../api/types.ts';
import { groupBy } from '../../format/group-by.ts';

export interface EventItem {
  readonly kind: 'event';
  readonly key: string;
  readonly at: string;
  readonly event: PaymentEvent;
  /** Deliveries that an endpoint acknowledged at the first attempt: shown with their event. */
  readonly delivered: readonly Delivery[];
}

export interface AttemptItem {
  readonly kind: 'attempt';
  readonly key: string;
  readonly at: string;
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  /** How many attempts before this one are left out. */
  readonly skipped: number;
}

/** A deposit without an event of its own. */
export interface DepositItem {
  readonly kind: 'deposit';
  readonly key: string;
  readonly at: string;
}

export type TimelineItem = EventItem | AttemptItem | DepositItem;

/** The timeline leaves out attempts in the middle of many: the delivery's own page lists all. */
const SHOWN_FIRST = 1;
const SHOWN_LAST = 2;

/** One timeline: the provider's reports, the deliveries, and the result of each attempt. */
export function timelineOf(
  events: readonly PaymentEvent[],
  deliveries: readonly Delivery[],
  details: readonly DeliveryDetail[],
  detectedAt: number | null,
): TimelineItem[] {
  const byEvent = groupBy(deliveries.filter(wentAtOnce), ({ eventId }) => eventId);
  const items: TimelineItem[] = [
    ...events.map((event): EventItem => ({
      kind: 'event',
      key: event.id,
      at: event.time,
      event,
      delivered: byEvent.get(event.id) ?? [],
    })),
    ...details.flatMap(attemptItems),
    ...depositItems(events, detectedAt),
  ];
  return items.sort(byTime);
}

/** Deposits of payments that expired before their deposit was reported, or that skipped a status. */
function depositItems(events: readonly PaymentEvent[], detectedAt: number | null): DepositItem[] {
  const isTold = events.some(({ type }) => type === 'payment.deposit_received');
  if (detectedAt === null || isTold) return [];
  return [{ kind: 'deposit', key: 'deposit', at: new Date(detectedAt).toISOString() }];
}

export function wentAtOnce({ state, attemptCount }: Delivery): boolean {
  return state === 'delivered' && attemptCount <= 1;
}

function attemptItems(delivery: DeliveryDetail): AttemptItem[] {
  const { attempts } = delivery;
  const isShown = (index: number): boolean => index < SHOWN_FIRST || index >= attempts.length - SHOWN_LAST;
  const shown = attempts.filter((_attempt, index) => isShown(index));
  return shown.map((attempt, index) => ({
    kind: 'attempt',
    key: `${delivery.id} ${attempt.number}`,
    at: attempt.at,
    attempt,
    delivery,
    skipped: Math.max(attempt.number - (shown[index - 1]?.number ?? attempt.number - 1) - 1, 0),
  }));
}

/** At equal times an event comes before its attempts, and events go by number. */
function byTime(one: TimelineItem, other: TimelineItem): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  if (one.kind !== other.kind) return one.kind === 'event' ? -1 : 1;
  if (one.kind === 'event' && other.kind === 'event')
    return one.event.data.sequence - other.event.data.sequence;
  return 0;
}
