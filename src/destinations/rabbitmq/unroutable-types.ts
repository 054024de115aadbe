import { Logger } from '@nestjs/common';

import type { EventType } from '../../domain/event/event.ts';

/**
 * The event types for which no queue is bound: counts their events, remembers the types for a while, and logs them at
 * intervals.
 */
export class UnroutableTypes {
  private readonly log = new Logger('RabbitMQ');
  private readonly until = new Map<EventType, number>();
  private unlogged = 0;
  private loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly rememberForMs: number,
    private readonly logEveryMs: number,
    private readonly onFirst: () => void,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** `isFirst`: the event's first attempt; a retry does not count the event again. */
  noteUnroutable(type: EventType, isFirst: boolean): void {
    const nowMs = this.nowMs();
    this.until.set(type, nowMs + this.rememberForMs);
    if (isFirst) {
      this.onFirst();
      this.unlogged += 1;
    }
    // The retries of a burst's last events log those that have not been logged yet.
    if (this.unlogged === 0 || nowMs - this.loggedAtMs < this.logEveryMs) return;
    const types = this.types().join(', ');
    this.log.warn(`No queue is bound for ${types}; events that reached no queue yet: ${this.unlogged}`);
    this.loggedAtMs = nowMs;
    this.unlogged = 0;
  }

  has(type: EventType): boolean {
    return (this.until.get(type) ?? Number.NEGATIVE_INFINITY) > this.nowMs();
  }

  types(): EventType[] {
    return [...this.until.keys()].filter((type) => this.has(type));
  }

  forget(type: EventType): void {
    this.until.delete(type);
  }

  forgetAll(): void {
    this.until.clear();
  }
}
