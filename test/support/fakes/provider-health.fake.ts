import type { StatusAnswer } from '../../../src/ports/payment-provider.ts';
import { ProviderHealth, type Health, type Lookup } from '../../../src/ports/readiness.ts';

/** Keeps what was seen of the provider. */
export class FakeProviderHealth extends ProviderHealth {
  readonly answers: StatusAnswer[] = [];
  readonly lookups: [Lookup, unknown][] = [];

  async health(): Promise<Health> {
    return { status: 'ok' };
  }

  async probes(): Promise<void> {}

  saw(_quoteId: string, answer: StatusAnswer): boolean {
    this.answers.push(answer);
    return true;
  }

  lookedUp(lookup: Lookup, failure: unknown): void {
    this.lookups.push([lookup, failure]);
  }
}
