import { BrokerHealth, type Health } from '../../ports/readiness.ts';

/** The broker's health when this process does not use RabbitMQ. */
export class NoBroker extends BrokerHealth {
  constructor(
    /** Why RabbitMQ is not used, for an operator. */
    private readonly why: string,
  ) {
    super();
  }

  health(): Health {
    return { status: 'off', detail: this.why };
  }
}
