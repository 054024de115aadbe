/** How many wrong API keys came from each network, at all replicas together. */
export abstract class WrongKeys {
  /**
   * Adds the tries of networks, and returns the number of tries of each. Tries are forgotten when no further one follows
   * within the time that `keptMs` has for their number: its first entry is for one try, its last one for that many tries or
   * more.
   */
  abstract addTries(
    tries: ReadonlyMap<string, number>,
    keptMs: readonly number[],
  ): Promise<ReadonlyMap<string, number>>;
}
