/** The current time; tests set their own. */
export abstract class Clock {
  abstract now(): Date;
}
