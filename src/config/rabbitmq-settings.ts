import { brokerUrls } from './address-kinds.ts';
import { certificates } from './certificate-kinds.ts';
import { optional, text } from './kinds.ts';
import { type Role, type Row, section, type Setting } from './setting.ts';

const SENDING: readonly Role[] = ['dispatcher'];
/** AMQP's own limit on names. */
const MAX_NAME_BYTES = 255;
/** The suffix in rejectedQueueOf; a test compares the two. */
export const REJECTED_SUFFIX = '.rejected';

export const RABBITMQ = section({
  heading: 'RabbitMQ',
  about: 'What is published: [rabbitmq.md](../using/rabbitmq.md).',
  rows: {
    rabbitmqUrls: brokerUrls('RABBITMQ_URL', {
      agreed: SENDING,
      // Replicas may list a cluster's brokers in different orders.
      isAgreedByPresence: true,
      isSecret: true,
      text: 'the broker, or [several](#several-addresses); unset: nothing is published',
    }),
    rabbitmqExchange: text('RABBITMQ_EXCHANGE', {
      default: 'payments',
      maxLength: 127,
      agreed: SENDING,
      text: 'the durable topic exchange',
    }),
    rabbitmqEventQueue: queue('RABBITMQ_EVENT_QUEUE', MAX_NAME_BYTES, {
      agreed: SENDING,
      text: 'a durable quorum queue that [gets every event](../using/rabbitmq.md#a-queue-for-every-event)',
    }),
    rabbitmqTrackQueue: queue('RABBITMQ_TRACK_QUEUE', MAX_NAME_BYTES - REJECTED_SUFFIX.length, {
      text: 'a queue by which internal services [hand over quotes](../using/rabbitmq.md#track-by-message)',
    }),
    rabbitmqCa: certificates('RABBITMQ_CA_FILE', {
      text: 'authorities that `amqps://` trusts, not the well-known ones',
    }),
  },
  check({ rabbitmqUrls: urls, rabbitmqEventQueue: events, rabbitmqTrackQueue: track, rabbitmqCa }, env) {
    if (env.isRefused('RABBITMQ_URL')) return;
    if (rabbitmqCa !== null && urls?.some((url) => url.startsWith('amqps:')) !== true)
      env.refuse('RABBITMQ_CA_FILE', 'needs a RABBITMQ_URL that begins with amqps://');
    if (urls === null && events !== null) env.refuse('RABBITMQ_EVENT_QUEUE', 'needs RABBITMQ_URL');
    if (urls === null && track !== null) env.refuse('RABBITMQ_TRACK_QUEUE', 'needs RABBITMQ_URL');
    if (events !== null && track !== null && [track, `${track}${REJECTED_SUFFIX}`].includes(events))
      env.refuse(
        'RABBITMQ_TRACK_QUEUE',
        'must be another queue than RABBITMQ_EVENT_QUEUE, and so must its .rejected',
      );
  },
});

function queue(name: string, maxBytes: number, row: Row): Setting<string | null> {
  return optional(name, row, `≤ ${maxBytes} bytes`, (value, refuse) => {
    const bytes = Buffer.byteLength(value);
    if (bytes > maxBytes) return refuse(`has ${bytes} bytes, at most ${maxBytes}`);
    return value.startsWith('amq.') ? refuse('begins with "amq.", which RabbitMQ keeps for itself') : value;
  });
}
