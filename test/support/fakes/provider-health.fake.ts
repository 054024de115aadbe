import type { StatusAnswer } from '../../../src/ports/payment-provider.ts';
import { ProviderHealth, type Health, type Lookup } from '../../../src/ports/readiness.ts';

/** Keeps what was seen of the provider. */
export class FakeProviderHealth extends ProviderHealth {
  readonly answers: StatusAnswer[] = [];
  readonly lookups: [Lookup, unknown][] = [];

  async health(): Promise<Health> {
    return { status: 'ok' };
  }

  async beginProbe(): Promise<void> {}

  recordAnswer(_quoteId: string, answer: StatusAnswer): boolean {
    this.answers.push(answer);
    return true;
  }

  recordLookup(lookup: Lookup, failure: unknown): void {
    this.lookups.push([lookup, failure]);
  }
}
