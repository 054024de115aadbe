import { Injectable, Logger } from '@nestjs/common';

import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { SecretsAtRest } from '../../ports/secrets-at-rest.ts';

/** Runs hourly too, since a replica with the previous key may write secrets until it stops. */
const EVERY_MS = 3_600_000;
const BATCH = 100;
/** Enough for 100,000 endpoints; the next run encrypts the rest. */
const MAX_BATCHES = 1_000;

/** Encrypts stored secrets with the current key again, so that the previous key can be removed. */
@Injectable()
export class SecretReencryption extends ServiceLoop {
  private readonly log = new Logger(SecretReencryption.name);

  constructor(
    private readonly secrets: SecretsAtRest,
    database: DatabaseHealth,
  ) {
    super('the renewal of secrets', database);
  }

  protected async round(signal: AbortSignal): Promise<number> {
    let renewed = 0;
    let unreadable = 0;
    let after: string | null = null;
    try {
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
        const done = await this.secrets.renew(after, BATCH);
        renewed += done.renewed;
        unreadable += done.unreadable;
        after = done.next;
        if (after === null) break;
      }
    } finally {
      this.report(renewed, unreadable);
    }
    return EVERY_MS;
  }

  private report(renewed: number, unreadable: number): void {
    if (renewed > 0)
      this.log.log(
        `the secrets of ${renewed} webhook endpoints are encrypted with the present ENCRYPTION_KEY`,
      );
    if (unreadable > 0)
      this.log.warn(
        `the secrets of ${unreadable} webhook endpoints cannot be decrypted with the configured keys`,
      );
  }
}
