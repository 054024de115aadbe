import type { EventType } from '../domain/event.ts';
import { isAfter, type LogPlace } from '../domain/log-place.ts';
import type { LoggedEvent } from '../ports/event-log.ts';
import { eventFrame } from './stream-frame.ts';

/** What a stream tells of: events of these types (none: of all), and of this payment alone where one is named. */
export interface StreamFilter {
  readonly types: readonly EventType[];
  readonly payment: { readonly id: string; readonly quoteId: string } | null;
}

/** An event with its bytes, which all streams share. */
export interface FramedEvent {
  readonly type: EventType;
  readonly paymentId: string;
  readonly place: LogPlace;
  readonly frame: Buffer;
}

export function framed(event: LoggedEvent): FramedEvent {
  const { type, paymentId, place } = event;
  return { type, paymentId, place, frame: eventFrame(event) };
}

/** New events for all streams at once: what the same filter lets through is put together once. */
export class StreamBatch {
  private readonly joined = new Map<string, Buffer>();

  constructor(
    readonly from: LogPlace,
    readonly to: LogPlace,
    readonly events: readonly FramedEvent[],
  ) {}

  /** The bytes for a stream that was told everything up to `place`. */
  bytesFor(filter: StreamFilter, place: LogPlace): Buffer {
    if (filter.payment !== null || isAfter(place, this.from)) return this.join(filter, place);
    const key = filter.types.join();
    const known = this.joined.get(key);
    if (known !== undefined) return known;
    const bytes = this.join(filter, place);
    this.joined.set(key, bytes);
    return bytes;
  }

  /** The events that such a stream lacks. */
  wanted({ types, payment }: StreamFilter, place: LogPlace): FramedEvent[] {
    return this.events.filter(
      (event) =>
        (types.length === 0 || types.includes(event.type)) &&
        (payment === null || payment.id === event.paymentId) &&
        isAfter(event.place, place),
    );
  }

  private join(filter: StreamFilter, place: LogPlace): Buffer {
    return Buffer.concat(this.wanted(filter, place).map(({ frame }) => frame));
  }
}
