import { ConnectionHealth, type Health } from '../../ports/readiness.ts';
import { RABBITMQ } from './rabbitmq-descriptor.ts';

/** Combines the health of all connections to RabbitMQ: degraded if one is, with each distinct reason. */
export class RabbitmqHealth extends ConnectionHealth {
  readonly name = RABBITMQ;

  constructor(
    private readonly parts: readonly { health(): Health }[],
    /** Why there is no connection, if there is none. */
    private readonly whyOff: string,
  ) {
    super();
  }

  health(): Health {
    if (this.parts.length === 0) return { status: 'off', detail: this.whyOff };
    const degraded = this.parts.map((part) => part.health()).filter(({ status }) => status === 'degraded');
    if (degraded.length === 0) return { status: 'ok' };
    return { status: 'degraded', detail: [...new Set(degraded.map(({ detail }) => detail))].join('; ') };
  }
}
