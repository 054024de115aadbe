import { BrokerHealth, type Health } from '../../ports/readiness.ts';

/** What stands in for RabbitMQ where this process does nothing there. */
export class NoBroker extends BrokerHealth {
  constructor(
    /** Why, for an operator. */
    private readonly why: string,
  ) {
    super();
  }

  health(): Health {
    return { status: 'off', detail: this.why };
  }
}
