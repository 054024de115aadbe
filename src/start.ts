import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

import { FirstKey } from './features/api-keys/first-key.ts';
import { DatabaseGate } from './database/connection/database-gate.ts';
import { isKnownVm } from './providers/relay/vm-addresses.ts';
import { Config } from './config/config.ts';

const RECOMMENDED_INTERVAL_MS = 5_000;

/** Opens the database in the background and tells operators what this process is going to do. */
@Injectable()
export class Start implements OnApplicationBootstrap {
  private readonly log = new Logger('Paybell');

  constructor(
    private readonly config: Config,
    private readonly gate: DatabaseGate,
    private readonly firstKey: FirstKey,
  ) {}

  onApplicationBootstrap(): void {
    this.notify();
    this.gate.start(() => this.firstKey.ensureKey());
  }

  private notify(): void {
    const { provider, roles, rabbitmqUrl, pollIntervalMs } = this.config;
    this.log.log(`roles ${[...roles].join(', ')}; provider ${provider}`);
    if (provider === 'sandbox') this.logSandbox();
    if (rabbitmqUrl === null) this.log.log('RABBITMQ_URL is not set: nothing is published to RabbitMQ');
    if (provider === 'relay') this.logRelay();
    if (pollIntervalMs < RECOMMENDED_INTERVAL_MS)
      this.log.warn(`POLL_INTERVAL_MS is ${pollIntervalMs}: the provider recommends 5000 to 10000`);
  }

  private logSandbox(): void {
    const { sandboxSpeed, providerBaseUrl } = this.config;
    const unused = providerBaseUrl === null ? '' : ' PROVIDER_BASE_URL is not used.';
    this.log.warn(
      `PROVIDER is the sandbox, at speed ${sandboxSpeed}: no real money moves, and its deposit addresses are invented.${unused}`,
    );
  }

  private logRelay(): void {
    const { refundTo, underpaid } = this.config.relay;
    if (refundTo.size === 0)
      this.log.warn('RELAY_REFUND_TO is not set: refunds go to whoever paid, where Relay can do that');
    for (const vm of refundTo.keys()) {
      if (!isKnownVm(vm))
        this.log.warn(`RELAY_REFUND_TO names "${vm}", which is no virtual machine that Paybell knows`);
    }
    if (underpaid === 'complete')
      this.log.warn(
        'a payment that Relay delivers though too little was paid is COMPLETED: compare deposit.match before you fulfil, or set RELAY_UNDERPAID=fail',
      );
  }
}
