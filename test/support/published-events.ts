import type { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** A published event. */
export interface PublishedEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: string;
  readonly data: {
    readonly quoteId: string;
    readonly provider: string;
    readonly orderId: string | null;
    readonly metadata: Record<string, string> | null;
    readonly sequence: number;
    readonly status: string;
    readonly previousStatus: string | null;
    readonly late: boolean;
    readonly reason?: string;
    readonly payment: Record<string, unknown> | null;
  };
}

export const PLAIN_STORY = [
  'payment.created',
  'payment.deposit_received',
  'payment.executing',
  'payment.completed',
];

/** The events that arrived at a shop, in order, repetitions included. */
export function arrivalsAt(shop: HttpReceiver): PublishedEvent[] {
  return shop.requests.map((request) => request.json as PublishedEvent);
}

/** `anomaly went_back`, `completed late` */
export function wordOf({ type, data }: PublishedEvent): string {
  const words = [type.replace('payment.', ''), data.reason, data.late ? 'late' : ''];
  return words.filter(Boolean).join(' ');
}

/** The events of each payment in the order of their first arrival, as `sequence type`; an event is known by its id. */
export function firstArrivals(events: readonly PublishedEvent[]): Map<string, string[]> {
  const seen = new Set<string>();
  const published = new Map<string, string[]>();
  for (const { id, type, subject, data } of events) {
    if (seen.has(id)) continue;
    seen.add(id);
    published.set(subject, [...(published.get(subject) ?? []), `${data.sequence} ${type}`]);
  }
  return published;
}

/** The exact events that must have arrived for each payment, in order: a second event of a number would show. */
export function storyOf(
  quoteIds: readonly string[],
  types: readonly string[] = PLAIN_STORY,
): Map<string, string[]> {
  return new Map(quoteIds.map((id) => [id, types.map((type, index) => `${index + 1} ${type}`)]));
}

/** Waits until each payment has published at least this many different events. */
export async function waitForStories(
  events: () => readonly PublishedEvent[],
  quoteIds: readonly string[],
  count: number,
  timeoutMs = 30_000,
): Promise<void> {
  const missing = (): string[] => {
    const published = firstArrivals(events());
    return quoteIds.filter((id) => (published.get(id)?.length ?? 0) < count);
  };
  let left = quoteIds.length;
  await waitFor(() => (left = missing().length) === 0, {
    timeoutMs,
    get what() {
      return `${count} events of each payment; ${left} of ${quoteIds.length} payments lack some`;
    },
  }).catch((error: unknown) => {
    const published = firstArrivals(events());
    const lacking = missing().map((id) => `${id}: ${(published.get(id) ?? []).join(', ')}`);
    throw new Error(`${(error as Error).message}\n${lacking.slice(0, 5).join('\n')}`);
  });
}
