import { BrokerHealth, type Health } from '../../ports/readiness.ts';

/** All that this process does at RabbitMQ: degraded if any of it is, with each reason once. */
export class RabbitmqHealth extends BrokerHealth {
  constructor(private readonly parts: readonly BrokerHealth[]) {
    super();
  }

  health(): Health {
    const degraded = this.parts.map((part) => part.health()).filter(({ status }) => status === 'degraded');
    if (degraded.length === 0) return { status: 'ok' };
    return { status: 'degraded', detail: [...new Set(degraded.map(({ detail }) => detail))].join('; ') };
  }
}
