const MINUTE_MS = 60_000;

/** How many requests there were in the minute before any instant; instants come in order. */
export class SlidingMinute {
  private instants: number[] = [];
  private first = 0;

  constructor(private readonly lengthMs = MINUTE_MS) {}

  add(instant: number): void {
    this.instants.push(instant);
  }

  count(instant: number): number {
    while ((this.instants[this.first] ?? Number.POSITIVE_INFINITY) <= instant - this.lengthMs) this.first++;
    if (this.first > 10_000 && this.first > this.instants.length / 2) {
      this.instants = this.instants.slice(this.first);
      this.first = 0;
    }
    return this.instants.length - this.first;
  }
}
