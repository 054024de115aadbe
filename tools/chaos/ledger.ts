/** An event as a consumer got it, reduced to what the verdict needs. */
export interface ArrivedEvent {
  readonly id: string;
  readonly quoteId: string;
  readonly type: string;
  readonly sequence: number;
  readonly status: string;
  readonly previousStatus: string | null;
  readonly previousSequence: number | null;
  readonly late: boolean;
  readonly reason: string | null;
  /** The provider's report in the event, as JSON; null: it has none. */
  readonly report: string | null;
  /** The chain's finding; null if no chain was asked. */
  readonly verification: { readonly state: string; readonly txHash: string | null } | null;
}

export interface Arrival {
  readonly at: number;
  readonly event: ArrivedEvent;
}

/** All consumers of events. */
export const CONSUMERS = ['shop', 'second shop', 'subscriber', 'feed', 'stream'] as const;
export type Consumer = (typeof CONSUMERS)[number];

/** A forbidden occurrence, and its time. */
export interface Breach {
  readonly at: number;
  readonly quoteId: string | null;
  readonly text: string;
}

/** The events that each consumer received, in the order of arrival, repetitions included. */
export class Ledger {
  readonly arrivals = new Map<Consumer, Arrival[]>(CONSUMERS.map((name) => [name, []]));
  readonly refused: Breach[] = [];
  private readonly known = new Map<string, Set<string>>();
  private readonly newest = new Map<string, ArrivedEvent>();
  private readonly ids = new Map<Consumer, Set<string>>(CONSUMERS.map((name) => [name, new Set()]));

  /** Books an event by its CloudEvents JSON; leaves test events out. */
  book(consumer: Consumer, body: string): void {
    const event = readEvent(body);
    if (event === null) return;
    this.arrivals.get(consumer)?.push({ at: Date.now(), event });
    this.ids.get(consumer)?.add(event.id);
    const words = this.known.get(event.quoteId) ?? new Set();
    this.known.set(event.quoteId, words.add(wordOf(event)));
    const newest = this.newest.get(event.quoteId);
    if (newest === undefined || newest.sequence < event.sequence) this.newest.set(event.quoteId, event);
  }

  /** The payment's status in the newest event that arrived at any consumer. */
  statusOf(quoteId: string): string | undefined {
    return this.newest.get(quoteId)?.status;
  }

  refuse(text: string): void {
    this.refused.push({ at: Date.now(), quoteId: null, text });
  }

  /** Whether an event of the payment with this word (see `wordOf`) arrived at any consumer. */
  knows(quoteId: string, word: string): boolean {
    return this.known.get(quoteId)?.has(word) === true;
  }

  /** How many different events each consumer has. */
  counts(): number[] {
    return CONSUMERS.map((name) => this.ids.get(name)?.size ?? 0);
  }
}

/** `completed late`, `anomaly went_back` */
export function wordOf({ type, reason, late }: ArrivedEvent): string {
  return [type.replace('payment.', ''), reason, late ? 'late' : null].filter(Boolean).join(' ');
}

interface Body {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly data: {
    readonly sequence: number;
    readonly status: string;
    readonly previousStatus: string | null;
    readonly previousSequence?: number;
    readonly late: boolean;
    readonly reason?: string;
    readonly payment?: unknown;
    readonly verification?: ArrivedEvent['verification'];
  };
}

/** Null for an event that is about no payment. */
export function readEvent(text: string): ArrivedEvent | null {
  const { id, type, subject, data } = JSON.parse(text) as Body;
  if (subject === undefined) return null;
  const {
    sequence,
    status,
    previousStatus,
    previousSequence = null,
    late,
    reason = null,
    payment = null,
    verification = null,
  } = data;
  const report = payment === null ? null : JSON.stringify(payment);
  return {
    id,
    quoteId: subject,
    type,
    sequence,
    status,
    previousStatus,
    previousSequence,
    late,
    reason,
    report,
    verification: verification && { state: verification.state, txHash: verification.txHash },
  };
}

/** A breach by an event. */
export function of(event: ArrivedEvent, text: string, at = 0): Breach {
  return breach(event.quoteId, `#${event.sequence} ${wordOf(event)}: ${text}`, at);
}

export function breach(quoteId: string, text: string, at = 0): Breach {
  return { at, quoteId, text };
}
