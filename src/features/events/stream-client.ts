import type { Writable } from 'node:stream';

import { isAfter, type LogPosition } from '../../domain/event/log-position.ts';
import type { FramedEvent, StreamBatch, StreamFilter } from './stream-batch.ts';
import { FIRST_FRAME, HEARTBEAT } from './stream-frame.ts';

/** What may wait in this process for a client to take it; beyond it the client is told nothing until it has. */
export const MAX_BUFFERED_BYTES = 64 * 1024;
/** A client that takes nothing for so long is given up: it comes back by itself, and goes on where it was. */
export const MAX_STALLED_MS = 60_000;

/** What a stream tells, and after which place it begins. */
export interface StreamStart {
  /** Of the API key it was opened with. */
  readonly keyName: string;
  readonly filter: StreamFilter;
  readonly from: LogPosition;
  /** A comment to begin with. */
  readonly note?: string;
  /** Whether the client may still listen. */
  readonly isAllowed?: (() => Promise<boolean>) | undefined;
}

/** One client of a stream: how far it was told, and whether it takes what it is told. */
export class StreamClient {
  readonly filter: StreamFilter;
  readonly keyName: string;
  /** Takes part in what all are told; otherwise it is behind, and is told page by page. */
  isLive = false;
  private sentTo: LogPosition;
  private stalledAt: number | null = null;

  constructor(
    private readonly out: Writable,
    private readonly start: StreamStart,
    /** Runs each time when it takes something again after it had stalled. */
    private readonly onDrained: (client: StreamClient) => void,
  ) {
    this.filter = start.filter;
    this.keyName = start.keyName;
    this.sentTo = start.from;
  }

  /** Everything up to here that it wants was told. */
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
    this.write(FIRST_FRAME + (this.start.note ?? ''));
  }

  /** Tells new events all at once. */
  send(batch: StreamBatch): void {
    const bytes = batch.bytesFor(this.filter, this.position);
    this.moveTo(batch.to);
    if (bytes.length > 0) this.write(bytes);
  }

  /** Tells what it lacks up to a place, as much of it as it takes; answers how many. */
  sendEach(events: readonly FramedEvent[], upTo: LogPosition): number {
    for (const [index, { frame, position }] of events.entries()) {
      if (this.isStalled) return index;
      this.moveTo(position);
      this.write(frame);
    }
    this.moveTo(upTo);
    return events.length;
  }

  /** A sign of life, or the end of a client that gives none or may listen no more. */
  async tick(now: number): Promise<void> {
    if (this.stalledAt !== null && now - this.stalledAt >= MAX_STALLED_MS) {
      this.out.destroy();
      return;
    }
    if (this.bufferedBytes === 0) this.write(HEARTBEAT);
    const isAllowed = await this.start.isAllowed?.().catch(() => true);
    if (isAllowed === false) this.end();
  }

  /** What it has not taken by now is dropped: it asks for it when it comes back. */
  end(): void {
    const isBehind = this.bufferedBytes > 0;
    this.out.end();
    if (isBehind) this.out.destroy();
  }

  private moveTo(position: LogPosition): void {
    if (isAfter(position, this.sentTo)) this.sentTo = position;
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
