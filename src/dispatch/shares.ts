import type { Outcome } from '../ports/deliveries.ts';

/** What a target that hung may have in flight until it answers again. */
const SLOW_SHARE = 1;

/**
 * How much of the attempts in flight each target may take: its own share, one attempt while it hangs, and always one
 * when it has none, however many others hang. No target waits for another.
 */
export class Shares {
  private readonly counts = new Map<string, number>();
  private readonly slow = new Set<string>();
  private total = 0;

  constructor(private readonly perTarget: number) {}

  get inFlight(): number {
    return this.total;
  }

  /** `left` is what all targets together may still take. */
  free(target: string, left: number): number {
    const taken = this.counts.get(target) ?? 0;
    if (taken === 0) return Math.max(1, Math.min(this.shareOf(target), left));
    return Math.min(this.shareOf(target) - taken, left);
  }

  begin(target: string): void {
    this.total += 1;
    this.counts.set(target, (this.counts.get(target) ?? 0) + 1);
  }

  end(target: string, outcome: Outcome): void {
    this.total -= 1;
    const left = (this.counts.get(target) ?? 1) - 1;
    if (left > 0) this.counts.set(target, left);
    else this.counts.delete(target);
    if (outcome.kind === 'failed' && outcome.failure === 'timeout') this.slow.add(target);
    else if (outcome.kind !== 'held') this.slow.delete(target);
  }

  private shareOf(target: string): number {
    return this.slow.has(target) ? SLOW_SHARE : this.perTarget;
  }
}
