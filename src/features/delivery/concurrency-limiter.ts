import type { Outcome, DueDelivery } from '../../ports/deliveries.ts';

/** What a target that hung may have in flight until it answers again. */
const SLOW_SHARE = 1;
/** A target that answers fast is claimed for ahead: about as much as it takes within this. */
const AHEAD_MS = 50;
const MAX_AHEAD = 100;
/** How much the last attempt counts in the mean duration. */
const WEIGHT = 0.2;
/** What was claimed ahead and has waited for longer is given back: others may claim it, and its lease must not run out. */
const MAX_WAIT_MS = 1_000;

interface Waiting {
  readonly delivery: DueDelivery;
  readonly since: number;
}

interface Load {
  inFlight: number;
  share: number;
  /** Mean duration of an attempt; null before the first has ended. */
  meanMs: number | null;
  isSlow: boolean;
  /** When an attempt ended last, or began while there was no other. */
  movedAt: number;
  readonly waiting: Waiting[];
}

function isStale({ since }: Waiting): boolean {
  return since < performance.now() - MAX_WAIT_MS;
}

/**
 * How much of the attempts in flight each target may take: its own share, one attempt while it hangs, and always one
 * when it has none, however many others hang. No target waits for another.
 */
export class ConcurrencyLimiter {
  private readonly loads = new Map<string, Load>();
  private total = 0;

  constructor(
    private readonly perTarget: number,
    private readonly inAll: number,
  ) {}

  get inFlight(): number {
    return this.total;
  }

  /** What all targets together may still take. */
  get left(): number {
    return this.inAll - this.total;
  }

  isBusy(target: string): boolean {
    return (this.loads.get(target)?.inFlight ?? 0) > 0;
  }

  /** How many deliveries to `target` may be claimed, of `left`; `share` is the most in flight that its state allows. */
  free(target: string, left = this.left, share = this.perTarget): number {
    const load = this.loadOf(target);
    load.share = load.isSlow ? SLOW_SHARE : Math.min(share, this.perTarget);
    const room = load.inFlight === 0 ? Math.max(1, left) : left;
    const ahead = load.share < this.perTarget ? 0 : this.aheadOf(load);
    return Math.min(load.share + ahead - load.inFlight - load.waiting.length, room);
  }

  /** What was claimed, in order: `next` hands it out as the target takes it. */
  add(delivery: DueDelivery): void {
    this.loadOf(delivery.destinationId).waiting.push({ delivery, since: performance.now() });
  }

  /** The next to be begun now at `target`; it counts as in flight from now on. */
  next(target: string): DueDelivery | null {
    const load = this.loads.get(target);
    if (load === undefined || load.inFlight >= load.share) return null;
    if (load.inFlight > 0 && this.left <= 0) return null;
    const [first] = load.waiting;
    if (first === undefined || isStale(first)) return null;
    load.waiting.shift();
    if (load.inFlight === 0) load.movedAt = performance.now();
    load.inFlight += 1;
    this.total += 1;
    return first.delivery;
  }

  end(target: string, outcome: Outcome, durationMs: number): void {
    const load = this.loadOf(target);
    load.inFlight -= 1;
    load.movedAt = performance.now();
    this.total -= 1;
    if (outcome.kind === 'held') return;
    load.isSlow = outcome.kind === 'failed' && outcome.failure === 'timeout';
    load.meanMs = load.meanMs === null ? durationMs : load.meanMs + WEIGHT * (durationMs - load.meanMs);
  }

  /** What was claimed ahead for `target` and is not begun; nor is what a claim under way adds, before `free` is asked. */
  takeBack(target: string): DueDelivery[] {
    const load = this.loads.get(target);
    if (load === undefined) return [];
    load.share = 0;
    return load.waiting.splice(0).map(({ delivery }) => delivery);
  }

  /** The same of those who let it wait for too long. */
  takeBackStale(): DueDelivery[] {
    return [...this.loads].flatMap(([target, { waiting }]) =>
      waiting[0] !== undefined && isStale(waiting[0]) ? this.takeBack(target) : [],
    );
  }

  takeBackAll(): DueDelivery[] {
    return [...this.loads.keys()].flatMap((target) => this.takeBack(target));
  }

  /** One that has just begun to hang shows it by what does not end. */
  private aheadOf({ meanMs, inFlight, movedAt }: Load): number {
    if (meanMs === null) return 0;
    const stillMs = inFlight === 0 ? 0 : performance.now() - movedAt;
    return Math.min(Math.floor((this.perTarget * AHEAD_MS) / Math.max(meanMs, stillMs, 1)), MAX_AHEAD);
  }

  private loadOf(target: string): Load {
    const known = this.loads.get(target);
    if (known !== undefined) return known;
    const load: Load = {
      inFlight: 0,
      share: this.perTarget,
      meanMs: null,
      isSlow: false,
      movedAt: 0,
      waiting: [],
    };
    this.loads.set(target, load);
    return load;
  }
}
