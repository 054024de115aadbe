import { ConnectionHealth, type ConnectionTrouble, type Health } from '../../ports/readiness.ts';
import { RABBITMQ } from '../../ports/destinations.ts';

/** A connection of this process. */
export interface RabbitmqPart {
  health(): Health;
  /** The trouble of the connection that publishes. */
  trouble?(): ConnectionTrouble | null;
}

/** Combines the health of all connections to RabbitMQ: degraded if one is, with each distinct reason. */
export class RabbitmqHealth extends ConnectionHealth {
  readonly name = RABBITMQ;

  constructor(
    private readonly parts: readonly RabbitmqPart[],
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

  override trouble(): ConnectionTrouble | null {
    return this.parts.map((part) => part.trouble?.() ?? null).find((trouble) => trouble !== null) ?? null;
  }
}
