import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

import { ThisReplica } from '../../ports/replicas.ts';

const RECOMMENDED_INTERVAL_MS = 5_000;
/** Addresses that only programs of this machine can reach. */
const LOOPBACK = /^(?:127\.|::1$|localhost$)/i;

export class StartupSettings {
  constructor(
    readonly providers: readonly string[],
    readonly pollIntervalMs: number,
    readonly host: string,
    readonly publicUrl: string | null,
    readonly servesDashboard: boolean,
    readonly underpaid: 'complete' | 'fail',
  ) {}
}

/** The meaning of UNDERPAID for a shop. */
const UNDERPAID = {
  complete:
    'UNDERPAID=complete: a payment is COMPLETED though less came than was asked for; payment.anomaly says so before',
  fail: 'UNDERPAID=fail: a payment is FAILED where less came than was asked for, though the recipient has it',
} as const;

/** Logs at the start the work of this process. */
@Injectable()
export class StartupReport implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(
    private readonly settings: StartupSettings,
    private readonly replica: ThisReplica,
  ) {}

  onApplicationBootstrap(): void {
    const { providers, pollIntervalMs, host, publicUrl, servesDashboard } = this.settings;
    const { id, roles } = this.replica;
    this.log.log(`replica ${id}; roles ${roles.join(', ')}; provider ${providers.join(', ')}`);
    this.log.log(UNDERPAID[this.settings.underpaid]);
    if (pollIntervalMs < RECOMMENDED_INTERVAL_MS)
      this.log.warn(`POLL_INTERVAL_MS is ${pollIntervalMs}: the provider recommends 5000 to 10000`);
    if (servesDashboard && publicUrl === null && !LOOPBACK.test(host))
      this.log.warn(
        `HOST is ${host} and PUBLIC_URL is not set: set PUBLIC_URL to the origin that browsers open, so that the pages work under ` +
          'no other name',
      );
  }
}
