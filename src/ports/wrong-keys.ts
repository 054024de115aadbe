/** How many wrong API keys came from each network, at all replicas together. */
export abstract class WrongKeys {
  /**
   * Adds the tries of networks, and answers how many there are of each now. They are forgotten when no more come within the time that
   * `keptMs` has for their number: its first entry for one, its last for as many as it has and more.
   */
  abstract addTries(
    tries: ReadonlyMap<string, number>,
    keptMs: readonly number[],
  ): Promise<ReadonlyMap<string, number>>;
}
