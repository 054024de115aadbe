import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

const RECOMMENDED_INTERVAL_MS = 5_000;

export class StartupSettings {
  constructor(
    readonly roles: readonly string[],
    readonly provider: string,
    readonly pollIntervalMs: number,
  ) {}
}

/** Logs at the start what this process is going to do. */
@Injectable()
export class StartupReport implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(private readonly settings: StartupSettings) {}

  onApplicationBootstrap(): void {
    const { roles, provider, pollIntervalMs } = this.settings;
    this.log.log(`roles ${roles.join(', ')}; provider ${provider}`);
    if (pollIntervalMs < RECOMMENDED_INTERVAL_MS)
      this.log.warn(`POLL_INTERVAL_MS is ${pollIntervalMs}: the provider recommends 5000 to 10000`);
  }
}
