/**
 * The current time by the database's clock, which all replicas share: what is stored is judged by it, and never by this
 * machine's clock. Tests set their own. Durations are measured with Timers.
 */
export abstract class Clock {
  abstract now(): Date;
}
