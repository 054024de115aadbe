import type { Outcome, DueDelivery } from '../../ports/deliveries.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';

/** The most attempts in flight at a target after a time-out, until it answers again. */
const SLOW_SHARE = 1;
/** For a fast target, deliveries are claimed ahead: about as many as it accepts within this time. */
const AHEAD_MS = 250;
/** Larger than a group of events: a group without room leaves its deliveries to claims, each of which costs another write. */
const MAX_AHEAD = 300;
/** The weight of the last attempt in the mean duration. */
const WEIGHT = 0.2;
/**
 * Deliveries claimed ahead that wait longer than this are returned before their lease expires, so that others can claim them.
 */
const MAX_WAIT_MS = 1_000;

interface Waiting {
  readonly delivery: DueDelivery;
  readonly since: number;
}

interface Load {
  inFlight: number;
  share: number;
  /** Mean duration of an attempt; null before the first one ends. */
  meanMs: number | null;
  isSlow: boolean;
  /** When an attempt last ended, or started while no other was in flight. */
  movedAt: number;
  readonly waiting: Waiting[];
}

/**
 * Limits the attempts in flight of each target: to its own share, or to one while it hangs. A target without an attempt in
 * flight always gets one, even while many others hang, so that no target waits for another.
 */
export class ConcurrencyLimiter {
  private readonly loads = new Map<string, Load>();
  private total = 0;

  constructor(
    readonly perTarget: number,
    private readonly inAll: number,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  get inFlight(): number {
    return this.total;
  }

  /** How many more attempts all targets together may have in flight. */
  get left(): number {
    return this.inAll - this.total;
  }

  /** Whether the target has attempts in flight or queued: then a probe would find no place. */
  isBusy(target: string): boolean {
    const load = this.loads.get(target);
    return load !== undefined && load.inFlight + load.waiting.length > 0;
  }

  /** How many of `left` deliveries to claim for `target`; `share` is the most in flight that its circuit allows. */
  free(target: string, left = this.left, share = this.perTarget): number {
    const load = this.loadOf(target);
    load.share = load.isSlow ? SLOW_SHARE : Math.min(share, this.perTarget);
    const room = load.inFlight === 0 ? Math.max(1, left) : left;
    const ahead = load.share < this.perTarget ? 0 : this.aheadOf(load);
    return Math.min(load.share + ahead - load.inFlight - load.waiting.length, room);
  }

  /** Queues a delivery that was leased at `since`; `next` returns them in this order. */
  addLeased(delivery: DueDelivery, since = this.timers.nowMs()): void {
    this.loadOf(delivery.destinationId).waiting.push({ delivery, since });
  }

  /** The next delivery to attempt at `target`, which counts as in flight from now on; null when it must wait. */
  next(target: string): DueDelivery | null {
    const load = this.loads.get(target);
    if (load === undefined || load.inFlight >= load.share) return null;
    if (load.inFlight > 0 && this.left <= 0) return null;
    const [first] = load.waiting;
    if (first === undefined || this.isStale(first)) return null;
    load.waiting.shift();
    if (load.inFlight === 0) load.movedAt = this.timers.nowMs();
    load.inFlight += 1;
    this.total += 1;
    return first.delivery;
  }

  end(target: string, outcome: Outcome, durationMs: number): void {
    const load = this.loadOf(target);
    load.inFlight -= 1;
    load.movedAt = this.timers.nowMs();
    this.total -= 1;
    if (outcome.kind === 'held') return;
    load.isSlow = outcome.kind === 'failed' && outcome.failure === 'timeout';
    load.meanMs = load.meanMs === null ? durationMs : load.meanMs + WEIGHT * (durationMs - load.meanMs);
  }

  /** Removes the queued deliveries of `target`; its share stays 0 until the next `free`, so that no delivery is attempted. */
  takeBack(target: string): DueDelivery[] {
    const load = this.loads.get(target);
    if (load === undefined) return [];
    load.share = 0;
    return load.waiting.splice(0).map(({ delivery }) => delivery);
  }

  /** Removes the queued deliveries of targets where the first one has waited too long. */
  takeBackStale(): DueDelivery[] {
    return [...this.loads].flatMap(([target, { waiting }]) =>
      waiting[0] !== undefined && this.isStale(waiting[0]) ? this.takeBack(target) : [],
    );
  }

  takeBackAll(): DueDelivery[] {
    return [...this.loads.keys()].flatMap((target) => this.takeBack(target));
  }

  /** If a target begins to hang, its attempts do not end: the time since their start counts like a mean duration. */
  private aheadOf({ meanMs, inFlight, movedAt }: Load): number {
    if (meanMs === null) return 0;
    const stillMs = inFlight === 0 ? 0 : this.timers.nowMs() - movedAt;
    if (stillMs > AHEAD_MS) return 0;
    return Math.min(Math.floor((this.perTarget * AHEAD_MS) / Math.max(meanMs, stillMs, 1)), MAX_AHEAD);
  }

  private isStale({ since }: Waiting): boolean {
    return since < this.timers.nowMs() - MAX_WAIT_MS;
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
