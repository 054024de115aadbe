import { isAfter, type LogPosition } from '../../domain/event/log-position.ts';
import type { LogPage } from '../../ports/event-log.ts';
import { batchesOf, framed, StreamBatch, type FramedEvent } from './stream-batch.ts';

/** How much of the log is kept for clients that reconnect, or have almost caught up. */
const MAX_KEPT = 1_000;
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** The newest part of the log, read once for all streams of this process. */
export class LogTail {
  private kept: FramedEvent[] = [];
  private keptBytes = 0;

  /** `position`: how far the log was read. */
  constructor(
    public position: LogPosition,
    /** All events after this position are kept. */
    private keptFrom: LogPosition = position,
  ) {}

  /** Appends a page that was read after `position`; returns it in batches that fit a client's buffer. */
  append(page: LogPage): StreamBatch[] {
    const events = page.events.map(framed);
    for (const event of events) {
      this.kept.push(event);
      this.keptBytes += event.frame.length;
    }
    this.forget();
    const batches = batchesOf(this.position, events, page.last);
    this.position = page.last;
    return batches;
  }

  /** The kept events after `position`; null when older events would be needed too. */
  since(position: LogPosition): StreamBatch | null {
    return isAfter(this.keptFrom, position) ? null : new StreamBatch(this.keptFrom, this.position, this.kept);
  }

  private forget(): void {
    let count = 0;
    for (const { frame, position } of this.kept) {
      if (this.kept.length - count <= MAX_KEPT && this.keptBytes <= MAX_KEPT_BYTES) break;
      this.keptBytes -= frame.length;
      this.keptFrom = position;
      count += 1;
    }
    if (count > 0) this.kept = this.kept.slice(count);
  }
}
