/** Takes what a provider told by itself: a notice is a reason to look, and never a state. */
export abstract class DueNow {
  /** These payments are worth a look at once: their provider told that something changed. Bounded, gathers, never throws. */
  abstract makeDue(quoteIds: readonly string[]): void;
}
