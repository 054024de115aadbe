import { Injectable, Logger } from '@nestjs/common';

import type { StatusAnswer } from '../ports/payment-provider.ts';
import { ProviderHealth, type Health } from '../ports/readiness.ts';

/** So many unusable answers in a row, over all payments, are the provider's trouble and not one payment's. */
const DEGRADED_AFTER = 5;

/** Watches how the provider answers, and tells operators when that changes. */
@Injectable()
export class ProviderWatch extends ProviderHealth {
  private readonly log = new Logger('Provider');
  private failures = 0;
  private detail: string | null = null;

  health(): Health {
    return this.detail === null ? { status: 'ok' } : { status: 'degraded', detail: this.detail };
  }

  saw(answer: StatusAnswer): void {
    if (answer.kind === 'report' || answer.kind === 'refused') return this.recovered();
    this.failures += 1;
    const isBad = answer.kind === 'credentials' || this.failures >= DEGRADED_AFTER;
    if (!isBad) return;
    const detail = answer.kind === 'credentials' ? 'it does not accept our key' : answer.reason;
    if (this.detail === null) this.log.warn(`the provider is in trouble: ${detail}`);
    this.detail = detail;
  }

  private recovered(): void {
    if (this.detail !== null) this.log.log(`the provider answers again after ${this.failures} failures`);
    this.failures = 0;
    this.detail = null;
  }
}
