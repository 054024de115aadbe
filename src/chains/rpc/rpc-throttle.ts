import { RpcTrouble } from './rpc-trouble.ts';

const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 10_000;
const MOST_OPEN_MS = 300_000;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 120_000;
/** An inspection that would have to wait longer for its turn is postponed. */
const MOST_WAIT_MS = 5_000;

/** The pace and the circuit of one RPC in this process. `nowMs` never goes back. */
export class RpcThrottle {
  private failures = 0;
  private limits = 0;
  private openMs = 0;
  private openUntil = -Infinity;
  private pausedUntil = -Infinity;
  /** The time until which the admitted calls are spread. */
  private paidUntil = -Infinity;

  constructor(
    private readonly maxRps: number,
    private readonly nowMs: () => number,
  ) {}

  get isOpen(): boolean {
    return this.openMs > 0;
  }

  /** How long to wait before these calls are sent. Throws RpcTrouble if they should not be sent at all. */
  admit(calls: number): number {
    const now = this.nowMs();
    if (now < this.openUntil) throw held('its circuit is open', this.openUntil - now);
    if (now < this.pausedUntil) throw held('it limits calls', this.pausedUntil - now);
    // The calls of one second may all go at once.
    const waitMs = Math.max(this.paidUntil - 1_000 - now, 0);
    if (waitMs > MOST_WAIT_MS) throw held('its pace is used up', waitMs);
    this.paidUntil = Math.max(this.paidUntil, now) + (calls / this.maxRps) * 1_000;
    // One inspection probes; the others wait for its result.
    if (this.isOpen) this.openUntil = now + this.openMs;
    return waitMs;
  }

  succeeded(): void {
    this.failures = 0;
    this.limits = 0;
    this.openMs = 0;
    this.openUntil = -Infinity;
  }

  failed(): void {
    this.failures += 1;
    if (this.failures < FAILURES_TO_OPEN) return;
    this.openMs = Math.min(this.openMs === 0 ? FIRST_OPEN_MS : 2 * this.openMs, MOST_OPEN_MS);
    this.openUntil = this.nowMs() + this.openMs;
  }

  /** Pauses for as long as the RPC asks, or for growing times. Returns the pause in milliseconds. */
  limited(retryAfterMs: number | null): number {
    const grown = FIRST_PAUSE_MS * 2 ** Math.min(this.limits, 10);
    this.limits += 1;
    const pauseMs = Math.min(retryAfterMs ?? grown, MOST_PAUSE_MS);
    this.pausedUntil = this.nowMs() + pauseMs;
    return pauseMs;
  }
}

function held(why: string, waitMs: number): RpcTrouble {
  return new RpcTrouble('rpc_held', `was not asked: ${why}`, waitMs);
}
