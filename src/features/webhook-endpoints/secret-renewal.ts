import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Cron } from '@nestjs/schedule';

import { DatabaseHealth } from '../../ports/readiness.ts';
import { SecretsAtRest } from '../../ports/secrets-at-rest.ts';

/** Also later: a replica that still goes by the previous key may write until it is gone. */
const HOURLY = '41 * * * *';
const BATCH = 100;
/** 100,000 endpoints; what is left waits for the next run. */
const MAX_BATCHES = 1_000;

/** Encrypts what another key has encrypted with the present one, so that the previous one can be given up. */
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

  /** Never twice at once, and never throws: each row stands by itself, and what fails is tried again an hour later. */
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
      this.log.warn(`the secrets of ${unreadable} webhook endpoints can't be read with the keys at hand`);
  }
}
