/**
 * Lets one read begin in each turn of the event loop. The work of a quote has several turns, between which it would otherwise wait
 * for all the reads that have come meanwhile: answers that need no database are made without a pause.
 */
export class ReadTurns {
  private readonly waiting: (() => void)[] = [];

  /** Resolves when the read may begin. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(() => this.begin());
    });
  }

  private begin(): void {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) setImmediate(() => this.begin());
  }
}
