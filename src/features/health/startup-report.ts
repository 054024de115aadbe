import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

import { ThisReplica } from '../../ports/replicas.ts';

const RECOMMENDED_INTERVAL_MS = 5_000;

export class StartupSettings {
  constructor(
    readonly provider: string,
    readonly pollIntervalMs: number,
  ) {}
}

/** Logs at the start what this process is going to do. */
@Injectable()
export class StartupReport implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(
    private readonly settings: StartupSettings,
    private readonly replica: ThisReplica,
  ) {}

  onApplicationBootstrap(): void {
    const { provider, pollIntervalMs } = this.settings;
    const { id, roles } = this.replica;
    this.log.log(`replica ${id}; roles ${roles.join(', ')}; provider ${provider}`);
    if (pollIntervalMs < RECOMMENDED_INTERVAL_MS)
      this.log.warn(`POLL_INTERVAL_MS is ${pollIntervalMs}: the provider recommends 5000 to 10000`);
  }
}
