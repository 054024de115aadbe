/** Remembers what to undo and does it in reverse order, everything, whatever fails on the way. */
export class Cleanup {
  private readonly steps: (() => Promise<unknown> | void)[] = [];

  add(step: () => Promise<unknown> | void): void {
    this.steps.push(step);
  }

  /** Answers what could not be undone. */
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
