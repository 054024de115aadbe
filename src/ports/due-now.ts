/** Makes payments due after a provider's notice: a notice is a hint to poll now, never a state. */
export abstract class DueNow {
  /** Makes these payments due, since their provider has announced a change. Batches calls, bounded; never throws. */
  abstract makeDue(quoteIds: readonly string[]): void;
}
