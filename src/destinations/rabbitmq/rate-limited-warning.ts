import { Logger } from '@nestjs/common';

/** Logs one kind of warning at most once in `everyMs`, with the number of warnings since the last line. */
export class RateLimitedWarning {
  private readonly log = new Logger('RabbitMQ');
  private suppressed = 0;
  private loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly everyMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  warn(text: string): void {
    this.suppressed += 1;
    const nowMs = this.nowMs();
    if (nowMs - this.loggedAtMs < this.everyMs) return;
    this.log.warn(this.suppressed === 1 ? text : `${text} (${this.suppressed} since the last such line)`);
    this.loggedAtMs = nowMs;
    this.suppressed = 0;
  }
}
