import { useState } from 'react';

import { useWhoami } from '../../access/whoami.ts';
import { EXCHANGE, type DeliveryDetail } from '../../api/types.ts';
import { indented } from '../../format/json.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Panel } from '../../ui/panel.tsx';
import styles from './delivery.module.css';

/** The message's properties, as documented in docs/using/rabbitmq.md. */
function messageHeaders({ type, eventId, quoteId, orderId, sequence }: DeliveryDetail): string {
  return [
    `routing key: ${type}`,
    'content type: application/cloudevents+json',
    `message id: ${eventId}`,
    `quote_id: ${quoteId}`,
    ...(orderId === null ? [] : [`order_id: ${orderId}`]),
    `sequence: ${sequence}`,
  ].join('\n');
}

/** The request as the endpoint gets it; copying gives the exact bytes, however they are displayed. */
export function SentBytes({ delivery, eventText }: { delivery: DeliveryDetail; eventText: string }) {
  const [isIndented, setIsIndented] = useState(true);
  const { version } = useWhoami();
  const last = delivery.attempts.at(-1);
  const headers =
    delivery.destination.kind === EXCHANGE
      ? messageHeaders(delivery)
      : [
          'content-type: application/json',
          `user-agent: Paybell/${version}`,
          `webhook-id: ${delivery.eventId}`,
          `webhook-timestamp: ${last === undefined ? 'the time of the attempt' : Math.floor(Date.parse(last.at) / 1_000)}`,
          'webhook-signature: made anew for each attempt, and not stored',
        ].join('\n');
  return (
    <Panel
      title="What is sent"
      actions={
        <Button kind="quiet" size="s" onClick={() => setIsIndented(!isIndented)}>
          {isIndented ? 'Show the exact bytes' : 'Show it indented'}
        </Button>
      }
    >
      <div className={styles['bytes']}>
        <Code text={headers} what="headers of the last attempt" />
        <Code
          text={isIndented ? indented(eventText) : eventText}
          copied={eventText}
          what="body, byte for byte"
        />
        <p className={styles['dim']}>
          {new TextEncoder().encode(eventText).length} bytes.
          {delivery.destination.kind === EXCHANGE
            ? ''
            : ' The signature is over these bytes, not over the indented text.'}
        </p>
      </div>
    </Panel>
  );
}
