/** Measures durations, and wakes callers after them; the simulation has virtual timers. */
export abstract class Timers {
  /** Milliseconds since some instant; never goes back. */
  abstract nowMs(): number;

  /** Calls `act` once after `ms`; returns a function that cancels it. */
  abstract after(ms: number, act: () => void): () => void;
}
