/** Takes note of who is being asked for: a payment that somebody looks at is worth a look of ours. */
export abstract class Attention {
  /** Cheap, and never throws: it is a hint and nothing more. */
  abstract hint(quoteId: string): void;
}
