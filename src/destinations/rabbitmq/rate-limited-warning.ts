import { Logger } from '@nestjs/common';

/** One kind of warning at a bounded pace, with how many there were since the last. */
export class PacedWarning {
  private readonly log = new Logger('RabbitMQ');
  private untold = 0;
  private toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly everyMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  tell(text: string): void {
    this.untold += 1;
    const nowMs = this.nowMs();
    if (nowMs - this.toldAtMs < this.everyMs) return;
    this.log.warn(this.untold === 1 ? text : `${text} (${this.untold} since the last such line)`);
    this.toldAtMs = nowMs;
    this.untold = 0;
  }
}
