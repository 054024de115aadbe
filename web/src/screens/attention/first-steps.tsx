import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import type { FirstSteps as Steps } from '../../api/overview-types.ts';
import { destinationsQuery } from '../../api/queries.ts';
import { Code } from '../../ui/code.tsx';
import { cx } from '../../ui/cx.ts';
import { Hidden } from '../../ui/hidden.tsx';
import { CheckIcon } from '../../ui/icons.tsx';
import styles from './first-steps.module.css';

/**
 * Steps from a new Paybell to a shop that gets events, in an order in which no event is lost; hidden once an event was told.
 */
export function FirstSteps({ steps }: { steps: Steps }) {
  const { data: destinations = [] } = useQuery(destinationsQuery());
  const manage = useRefusal('manage');
  const endpointId = destinations.find(({ kind }) => kind === 'webhook')?.id;
  const { origin } = window.location;
  return (
    <section className={styles['panel']} aria-labelledby="first-steps">
      <h2 id="first-steps">Four steps until the shop is told</h2>
      <ol className={styles['steps']}>
        <Step isDone={steps.hasDestination} title="Add an endpoint">
          The URL at the shop that gets each event, signed; or set <code>RABBITMQ_URL</code>. Events are sent
          from then on, so it comes first. <Link to="/endpoints">Go to Endpoints</Link>
          {manage === null ? '' : ` (${manage})`}
        </Step>
        <Step isDone={steps.isTested} title="Send it a test">
          It says at once what the shop answers.{' '}
          {endpointId === undefined ? null : (
            <Link to="/endpoints/$endpointId" params={{ endpointId }}>
              Go to the endpoint
            </Link>
          )}
        </Step>
        <Step isDone={steps.isHandedOver} title="Hand over the open quotes">
          Each quote that the provider has not ended yet, with its order. Without open quotes there is nothing
          to do.
          <Code text={handOver(origin)} what="command" />
        </Step>
        <Step isDone={steps.isAsked} title="Change the base URL">
          Let the order system ask Paybell in place of the provider, with a key of Paybell’s role{' '}
          <code>shop</code>.
          <Code text={origin} what="base URL" />
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ isDone, title, children }: StepProps) {
  return (
    <li className={cx(styles['step'], isDone && styles['done'])}>
      <span className={styles['mark']} aria-hidden="true">
        {isDone ? <CheckIcon /> : null}
      </span>
      <div className={styles['what']}>
        <h3>
          {title}
          {isDone ? <Hidden>, done</Hidden> : null}
        </h3>
        {isDone ? null : <div>{children}</div>}
      </div>
    </li>
  );
}

function handOver(origin: string): string {
  return `curl '${origin}/api/payments' -H "x-api-key: $PAYBELL_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"quoteId": "QUOTE_ID", "orderId": "A-1001"}'`;
}
