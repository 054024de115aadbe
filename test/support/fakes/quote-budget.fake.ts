import { QuoteBudget } from '../../../src/ports/quote-budget.ts';

/** Grants everything until a test sets an error, and keeps what it was told. */
export class FakeQuoteBudget extends QuoteBudget {
  taken = 0;
  readonly pauses: number[] = [];
  refusal: Error | null = null;

  async take(): Promise<void> {
    if (this.refusal !== null) throw this.refusal;
    this.taken += 1;
  }

  async pause(forMs: number): Promise<void> {
    this.pauses.push(forMs);
  }
}
