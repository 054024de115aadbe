/**
 * The current time by the database's clock, which all replicas share: stored times are compared with it, never with this
 * machine's clock. Tests set their own. Durations are measured with Timers.
 */
export abstract class Clock {
  abstract now(): Date;
}
