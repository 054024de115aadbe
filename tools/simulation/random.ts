/** Seeded random numbers: the same seed makes the same run, on every machine. */
export class Random {
  constructor(private state: number) {}

  /** A number in [0, 1). Mulberry32, by Tommy Ettinger, in the public domain. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A delay that is the product of many independent ones: half are below the median, and some are far above it. */
  lognormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }

  /** The wait for the next event of an independent stream whose events are `mean` apart on average. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  pick<T>(weighted: readonly (readonly [T, number])[]): T {
    let left = this.next() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of weighted) {
      left -= weight;
      if (left < 0) return value;
    }
    return (weighted.at(-1) as readonly [T, number])[0];
  }

  /** A second stream of numbers, so that the draws of one part never shift those of another. */
  fork(): Random {
    return new Random((this.next() * 4_294_967_296) | 0);
  }
}
