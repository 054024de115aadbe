import { DatabaseHealth } from '../../../src/ports/readiness.ts';

/** A database that is up until a test says otherwise. */
export class FakeDatabaseHealth extends DatabaseHealth {
  isUp = true;

  isReady(): Promise<boolean> {
    return Promise.resolve(this.isUp);
  }

  whenReady(): Promise<void> {
    return Promise.resolve();
  }

  beforeReady(task: () => Promise<void>): void {
    void task();
  }

  overdueDeliveries(): Promise<number> {
    return Promise.resolve(0);
  }
}
