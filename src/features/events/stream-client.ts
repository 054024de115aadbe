import type { Writable } from 'node:stream';

import { isAfter, type LogPosition } from '../../domain/event/log-position.ts';
import type { LongAnswer } from '../../platform/http/answer-access.ts';
import type { FramedEvent, StreamBatch, StreamFilter } from './stream-batch.ts';
import { ShownState } from './shown-state.ts';
import { firstFrame, HEARTBEAT, RETRY_FRAME } from './stream-frame.ts';

/** How many bytes may wait for a client to read them. Beyond this, the client gets no events until it has read some. */
export const MAX_BUFFERED_BYTES = 64 * 1024;
/** A client that reads nothing for this long is disconnected; it reconnects and continues after its last event. */
export const MAX_STALLED_MS = 60_000;

/** The parameters with which a stream is opened. */
export interface StreamStart extends LongAnswer {
  /** The name of the client's API key. */
  readonly keyName: string;
  readonly filter: StreamFilter;
  readonly from: LogPosition;
  /** A comment at the beginning of the stream. */
  readonly note?: string;
  /** Reads the frame that is sent instead of events; null ends the stream. Left out: the events are sent. */
  readonly state?: () => Promise<string | null>;
}

/** One client of a stream: up to which position it was sent events, and whether it reads them. */
export class StreamClient implements LongAnswer {
  readonly filter: StreamFilter;
  readonly keyName: string;
  readonly isAllowed: LongAnswer['isAllowed'];
  readonly accessId: LongAnswer['accessId'];
  /** True while the client gets events live; false while it is behind and CatchUp sends it pages. */
  isLive = false;
  private sentTo: LogPosition;
  private stalledAt: number | null = null;
  private readonly state: ShownState | null;

  constructor(
    private readonly out: Writable,
    private readonly start: StreamStart,
    /** Called each time when a stalled client reads again. */
    private readonly onDrained: (client: StreamClient) => void,
  ) {
    this.filter = start.filter;
    this.keyName = start.keyName;
    this.isAllowed = start.isAllowed;
    this.accessId = start.accessId;
    this.sentTo = start.from;
    const { state } = start;
    this.state =
      state === undefined
        ? null
        : new ShownState(
            state,
            (frame) => this.write(frame),
            () => this.end(),
          );
  }

  /** All matching events up to this position were sent. */
  get position(): LogPosition {
    return this.sentTo;
  }

  get isOver(): boolean {
    return this.out.destroyed || this.out.writableEnded;
  }

  get isStalled(): boolean {
    return this.stalledAt !== null;
  }

  get bufferedBytes(): number {
    return this.out.writableLength;
  }

  begin(): void {
    if (this.state === null) return this.write(firstFrame(this.start.from) + (this.start.note ?? ''));
    this.write(RETRY_FRAME);
    void this.state.refresh();
  }

  /** Sends a batch of new events in one write. */
  send(batch: StreamBatch): void {
    const bytes = batch.bytesFor(this.filter, this.position);
    this.moveTo(batch.to);
    if (bytes.length > 0) this.show(bytes);
  }

  /** Sends events one by one until the client stalls; returns how many it sent. */
  sendEach(events: readonly FramedEvent[], upTo: LogPosition): number {
    for (const [index, { frame, position }] of events.entries()) {
      if (this.isStalled) return index;
      this.moveTo(position);
      this.show(frame);
    }
    this.moveTo(upTo);
    return events.length;
  }

  /** Sends a heartbeat; disconnects a client that has stalled for too long. */
  tick(now: number): void {
    if (this.stalledAt !== null && now - this.stalledAt >= MAX_STALLED_MS) {
      this.out.destroy();
      return;
    }
    if (this.bufferedBytes === 0) this.write(HEARTBEAT);
    this.state?.retry();
  }

  /** Ends the stream and drops unread bytes: the client asks for these events when it reconnects. */
  end(): void {
    const isBehind = this.bufferedBytes > 0;
    this.out.end();
    if (isBehind) this.out.destroy();
  }

  private moveTo(position: LogPosition): void {
    if (isAfter(position, this.sentTo)) this.sentTo = position;
  }

  private show(events: Buffer): void {
    if (this.state === null) this.write(events);
    else void this.state.refresh();
  }

  private write(bytes: Buffer | string): void {
    if (this.isOver) return;
    this.out.write(bytes);
    if (this.isStalled || this.bufferedBytes <= MAX_BUFFERED_BYTES) return;
    this.isLive = false;
    this.stalledAt = performance.now();
    this.out.once('drain', () => {
      this.stalledAt = null;
      this.onDrained(this);
    });
  }
}
