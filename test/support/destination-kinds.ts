import { rabbitmqDescriptor } from '../../src/destinations/rabbitmq/rabbitmq-descriptor.ts';
import { WEBHOOK } from '../../src/destinations/webhook/webhook-descriptor.ts';
import { DestinationKinds } from '../../src/ports/destinations.ts';

/** The kinds that Paybell registers, with an exchange and a track queue. */
export const DESTINATION_KINDS = new DestinationKinds([
  WEBHOOK,
  rabbitmqDescriptor({ exchange: 'shop-payments', trackQueue: 'shop-track', isEnabled: true }),
]);

/** The row that tests add for RabbitMQ's exchange. */
export const EXCHANGE_ID = '0193a0c4-7c1e-7b6e-9d0e-00000000e0c0';
