import { DatabaseHealth, type DatabaseProblem } from '../../../src/ports/readiness.ts';

/** A database that is ready once its tasks are done, until a test makes it unavailable. */
export class FakeDatabaseHealth extends DatabaseHealth {
  isUp = true;
  private tasksLeft = 0;
  private opened: Promise<void> = Promise.resolve();

  async problem(): Promise<DatabaseProblem | null> {
    if (this.tasksLeft > 0) return { check: 'start', detail: 'its tasks are not done' };
    return this.isUp ? null : { check: 'answer', detail: 'connection lost' };
  }

  whenReady(): Promise<void> {
    return this.opened;
  }

  beforeReady(task: () => Promise<void>): void {
    this.tasksLeft += 1;
    this.opened = this.opened.then(() => this.finish(task));
  }

  private async finish(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      this.tasksLeft -= 1;
    } catch {
      await new Promise(setImmediate);
      await this.finish(task);
    }
  }
}
