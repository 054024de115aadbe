import type { EventType } from '../../domain/event/event.ts';
import { isAfter, type LogPosition } from '../../domain/event/log-position.ts';
import type { LoggedEvent } from '../../ports/event-log.ts';
import { eventFrame } from './stream-frame.ts';

const MAX_PART_BYTES = 64 * 1024;

/** Selects a stream's events: these types (empty: all types), and only this payment if it is not null. */
export interface StreamFilter {
  readonly types: readonly EventType[];
  readonly payment: { readonly id: string; readonly quoteId: string } | null;
}

/** An event with its SSE bytes, which all streams share. */
export interface FramedEvent {
  readonly type: EventType;
  readonly paymentId: string;
  readonly position: LogPosition;
  readonly frame: Buffer;
}

export function framed(event: LoggedEvent): FramedEvent {
  const { type, paymentId, position } = event;
  return { type, paymentId, position, frame: eventFrame(event) };
}

/** New events for all streams: for each filter the bytes are joined once. */
export class StreamBatch {
  private readonly joined = new Map<string, Buffer>();

  constructor(
    readonly from: LogPosition,
    readonly to: LogPosition,
    readonly events: readonly FramedEvent[],
  ) {}

  /** The bytes for a stream that has sent everything up to `position`. */
  bytesFor(filter: StreamFilter, position: LogPosition): Buffer {
    if (filter.payment !== null || isAfter(position, this.from)) return this.join(filter, position);
    const key = filter.types.join();
    const known = this.joined.get(key);
    if (known !== undefined) return known;
    const bytes = this.join(filter, position);
    this.joined.set(key, bytes);
    return bytes;
  }

  /** The events that match the filter and come after `position`. */
  wanted({ types, payment }: StreamFilter, position: LogPosition): FramedEvent[] {
    return this.events.filter(
      (event) =>
        (types.length === 0 || types.includes(event.type)) &&
        (payment === null || payment.id === event.paymentId) &&
        isAfter(event.position, position),
    );
  }

  private join(filter: StreamFilter, position: LogPosition): Buffer {
    return Buffer.concat(this.wanted(filter, position).map(({ frame }) => frame));
  }
}

/** Splits events into batches that fit a client's buffer; at least one batch, since the end may move without events. */
export function batchesOf(from: LogPosition, events: readonly FramedEvent[], to: LogPosition): StreamBatch[] {
  const parts = partsOf(events);
  let begin = from;
  return parts.map((part, index) => {
    const end = index === parts.length - 1 ? to : (part.at(-1)?.position ?? begin);
    const batch = new StreamBatch(begin, end, part);
    begin = end;
    return batch;
  });
}

function partsOf(events: readonly FramedEvent[]): FramedEvent[][] {
  const parts: FramedEvent[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    if (bytes > 0 && bytes + event.frame.length > MAX_PART_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(event);
    bytes += event.frame.length;
  }
  return parts;
}
