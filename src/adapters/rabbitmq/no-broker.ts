import { BrokerHealth, type Health } from '../../ports/readiness.ts';

/** What stands in for RabbitMQ when it is not configured. */
export class NoBroker extends BrokerHealth {
  health(): Health {
    return { status: 'off', detail: 'RABBITMQ_URL is not set' };
  }
}
