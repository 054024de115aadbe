/** So many changes wait for their commit at most, plus one for each request in flight: a few groups of the recorder. */
const MAX_PENDING = 300;

/** Holds new requests while too many changes wait for their commit: a change that is polled later waits less for its webhook. */
export class PendingCommits {
  private pending = 0;
  private held: (() => void)[] = [];
  private isOver = false;

  /** Null: the next request may begin now. */
  room(): Promise<void> | null {
    if (this.isOver || this.pending < MAX_PENDING) return null;
    return new Promise((resolve) => this.held.push(resolve));
  }

  /** Counts the work until it has settled. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.pending += 1;
    try {
      return await work;
    } finally {
      this.pending -= 1;
      if (this.pending < MAX_PENDING) this.release();
    }
  }

  /** Holds no request any more. */
  stop(): void {
    this.isOver = true;
    this.release();
  }

  private release(): void {
    for (const resume of this.held.splice(0)) resume();
  }
}
