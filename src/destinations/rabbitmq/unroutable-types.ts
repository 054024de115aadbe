import { Logger } from '@nestjs/common';

import type { EventType } from '../../domain/event/event.ts';

/** The event types that nobody is bound for: counted, remembered for a while, and told at a bounded pace. */
export class UnroutableTypes {
  private readonly log = new Logger('RabbitMQ');
  private readonly until = new Map<EventType, number>();
  private unreported = 0;
  private reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly rememberForMs: number,
    private readonly logEveryMs: number,
    private readonly onFirst: () => void,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** An event that is tried again is the same event still. */
  note(type: EventType, isFirst: boolean): void {
    const nowMs = this.nowMs();
    this.until.set(type, nowMs + this.rememberForMs);
    if (isFirst) {
      this.onFirst();
      this.unreported += 1;
    }
    // The last ones of a burst are told when they are tried again.
    if (this.unreported === 0 || nowMs - this.reportedAtMs < this.logEveryMs) return;
    const types = this.types().join(', ');
    this.log.warn(`Nobody is bound for ${types}; events that reached no queue yet: ${this.unreported}`);
    this.reportedAtMs = nowMs;
    this.unreported = 0;
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
