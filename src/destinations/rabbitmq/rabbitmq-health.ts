import { BrokerHealth, type Health } from '../../ports/readiness.ts';

/** Combines the health of all connections to RabbitMQ: degraded if one is, with each distinct reason. */
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
