/** Remembers the steps of a clean-up, and runs all of them in reverse order, even if one fails. */
export class Cleanup {
  private readonly steps: (() => Promise<unknown> | void)[] = [];

  add(step: () => Promise<unknown> | void): void {
    this.steps.push(step);
  }

  /** Returns the failures of steps. */
  async run(): Promise<string[]> {
    const problems: string[] = [];
    for (const step of this.steps.splice(0).toReversed()) {
      try {
        await step();
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
    }
    return problems;
  }
}
