/** A fixed number of places for work in flight; who finds none waits in line, the urgent before the others. */
export class Slots {
  private readonly urgent: (() => void)[] = [];
  private readonly others: (() => void)[] = [];

  constructor(private free: number) {}

  async run<Result>(isUrgent: boolean, work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => (isUrgent ? this.urgent : this.others).push(resolve));
    try {
      return await work();
    } finally {
      this.passOn();
    }
  }

  private passOn(): void {
    const next = this.urgent.shift() ?? this.others.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
