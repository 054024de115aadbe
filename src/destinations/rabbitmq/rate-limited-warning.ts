import { Logger } from '@nestjs/common';

/** One kind of warning at a bounded pace, with how many there were since the last. */
export class RateLimitedWarning {
  private readonly log = new Logger('RabbitMQ');
  private unreported = 0;
  private reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly everyMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  notify(text: string): void {
    this.unreported += 1;
    const nowMs = this.nowMs();
    if (nowMs - this.reportedAtMs < this.everyMs) return;
    this.log.warn(this.unreported === 1 ? text : `${text} (${this.unreported} since the last such line)`);
    this.reportedAtMs = nowMs;
    this.unreported = 0;
  }
}
