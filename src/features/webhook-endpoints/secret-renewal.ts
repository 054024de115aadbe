import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Cron } from '@nestjs/schedule';

import { DatabaseHealth } from '../../ports/readiness.ts';
import { SecretsAtRest } from '../../ports/secrets-at-rest.ts';

/** Hourly too, since a replica with the previous key may write secrets until it stops. */
const HOURLY = '41 * * * *';
const BATCH = 100;
/** 100,000 endpoints; the next run renews the others. */
const MAX_BATCHES = 1_000;

/** Encrypts stored secrets with the current key again, so that the previous key can be removed. */
@Injectable()
export class SecretRenewal implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(SecretRenewal.name);
  private running: Promise<void> | null = null;
  private isStopping = false;

  constructor(
    private readonly secrets: SecretsAtRest,
    private readonly database: DatabaseHealth,
  ) {}

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.run());
  }

  /** Never runs twice at once, and never throws: rows are independent, and the next run retries those that failed. */
  @Cron(HOURLY, { name: 'secret-renewal' })
  run(): Promise<void> {
    this.running ??= this.round().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.running;
  }

  private async round(): Promise<void> {
    let renewed = 0;
    let unreadable = 0;
    let after: string | null = null;
    try {
      for (let batch = 0; batch < MAX_BATCHES && !this.isStopping; batch += 1) {
        const done = await this.secrets.renew(after, BATCH);
        renewed += done.renewed;
        unreadable += done.unreadable;
        after = done.next;
        if (after === null) break;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn(`secrets can't be encrypted with the present ENCRYPTION_KEY now: ${reason}`);
    }
    if (renewed > 0)
      this.log.log(
        `the secrets of ${renewed} webhook endpoints are encrypted with the present ENCRYPTION_KEY`,
      );
    if (unreadable > 0)
      this.log.warn(
        `the secrets of ${unreadable} webhook endpoints can't be decrypted with the configured keys`,
      );
  }
}
