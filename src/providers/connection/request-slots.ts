/** Limits the concurrent requests. A request without a free slot waits in a queue; urgent requests go before the others. */
export class RequestSlots {
  private readonly urgent: (() => void)[] = [];
  private readonly others: (() => void)[] = [];

  constructor(private free: number) {}

  async run<Result>(isUrgent: boolean, work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => (isUrgent ? this.urgent : this.others).push(resolve));
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  private release(): void {
    const next = this.urgent.shift() ?? this.others.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
