const MINUTE_MS = 60_000;
/**
 * More than ten 404s in a minute lock our address out for ten minutes. With this number for each process, three replicas
 * behind one address stay below the limit.
 */
const MOST_IN_A_MINUTE = 3;

/**
 * Bounds the 404s of a minute, however many requests run at once: a request takes a place before it is sent, and a 404 keeps
 * the place for a minute.
 */
export class NotFoundLimit {
  private notFoundAtMs: readonly number[] = [];
  private underWay = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly nowMs: () => number) {}

  /**
   * Sends a request as soon as a 404 to it would not exceed the limit. Returns null and sends nothing if the 404s of the last
   * minute leave no place.
   */
  async send<Answer>(
    request: () => Promise<Answer>,
    isNotFound: (answer: Answer) => boolean,
  ): Promise<Answer | null> {
    while (this.kept() + this.underWay >= MOST_IN_A_MINUTE) {
      if (this.kept() >= MOST_IN_A_MINUTE) return null;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.underWay += 1;
    try {
      const answer = await request();
      if (isNotFound(answer)) this.notFoundAtMs = [...this.notFoundAtMs, this.nowMs()];
      return answer;
    } finally {
      this.underWay -= 1;
      for (const resume of this.waiting.splice(0)) resume();
    }
  }

  /** True if the last minute had a 404. */
  get hasAny(): boolean {
    return this.kept() > 0;
  }

  private kept(): number {
    const from = this.nowMs() - MINUTE_MS;
    this.notFoundAtMs = this.notFoundAtMs.filter((at) => at > from);
    return this.notFoundAtMs.length;
  }
}
