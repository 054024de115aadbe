import { isEnd, type Life } from './lives.ts';
import type { Observations } from './observations.ts';
import type { SimulatedProvider } from './simulated-provider.ts';
import type { VirtualClock } from './virtual-clock.ts';

const INTERVAL_MS = 7_000;
const MINUTE_MS = 60_000;
/** Keeps a late last request of a minute apart from the first one of the next minute. */
const SPARE = 1.01;

/**
 * A poller like a merchant would write it: asks about every open payment every 7 seconds until its end. With a limit it asks
 * in turn, as fast as the limit allows.
 */
export class FixedPoller {
  private readonly queue: { readonly life: Life; readonly dueAt: number }[] = [];
  private head = 0;
  private freeAt = 0;
  private isWaiting = false;
  private readonly ended = new Set<number>();

  constructor(
    private readonly clock: VirtualClock,
    private readonly provider: SimulatedProvider,
    private readonly observations: Observations,
    private readonly maxRpm: number,
  ) {}

  track(life: Life): void {
    this.pollLater(life);
  }

  private pollLater(life: Life): void {
    const dueAt = this.clock.now + INTERVAL_MS;
    if (this.maxRpm === 0) {
      this.clock.at(dueAt, () => {
        this.poll(life);
      });
      return;
    }
    this.queue.push({ life, dueAt });
    this.takeTurns();
  }

  /** The queue is in the order of due times, since each is one interval after its entry. */
  private takeTurns(): void {
    const next = this.queue[this.head];
    if (this.isWaiting || next === undefined) return;
    this.isWaiting = true;
    this.clock.at(Math.max(next.dueAt, this.freeAt), () => {
      this.isWaiting = false;
      this.head++;
      if (!this.ended.has(next.life.id)) this.freeAt = this.clock.now + (MINUTE_MS / this.maxRpm) * SPARE;
      this.poll(next.life);
      this.takeTurns();
    });
  }

  private poll(life: Life): void {
    if (this.ended.has(life.id)) return;
    this.observations.asked(life, this.clock.now);
    this.provider.ask(life, (answer) => {
      if (answer.kind !== 'status') return;
      this.observations.found(life, answer.index, this.clock.now);
      if (isEnd(answer.status)) this.ended.add(life.id);
    });
    this.pollLater(life);
  }
}
