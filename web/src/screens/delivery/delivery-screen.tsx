import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { useRefusal } from '../../access/whoami.ts';
import { nameOf } from '../../api/queries.ts';
import { resend } from '../../api/resend.ts';
import { EXCHANGE, type DeliveryDetail } from '../../api/types.ts';
import { shortened } from '../../format/chains.ts';
import { Button } from '../../ui/button.tsx';
import { Identifier } from '../../ui/identifier.tsx';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ResendResult } from '../../ui/resend-result.tsx';
import { StateTag } from '../../ui/tag.tsx';
import { Time, Until } from '../../ui/time.tsx';
import { Waiting } from '../deliveries/waiting.tsx';
import { Attempts } from './attempts.tsx';
import { deliveryQuery } from './delivery-query.ts';
import styles from './delivery.module.css';
import { SentBytes } from './sent-bytes.tsx';
import { VerifySignature } from './verify-signature.tsx';

const route = getRouteApi('/shell/deliveries/$deliveryId');

export function DeliveryScreen() {
  const { deliveryId } = route.useParams();
  const { data, error, refetch } = useQuery(deliveryQuery(deliveryId));
  const back = <Link to="/deliveries">Deliveries</Link>;
  if (data === undefined)
    return (
      <Page title={`Delivery ${deliveryId}`} back={back}>
        {error === null ? (
          <Panel>
            <Skeleton lines={8} />
          </Panel>
        ) : (
          <ProblemNote error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  const { delivery, eventText } = data;
  const name = nameOf(delivery);
  return (
    <Page
      title={`${delivery.type} to ${name}`}
      back={back}
      beside={<StateTag state={delivery.state} />}
      actions={<Retry delivery={delivery} name={name} />}
    >
      <div className={layout['columns']}>
        <div className={layout['stack']}>
          <Panel title="Attempts">
            <Attempts delivery={delivery} />
          </Panel>
          <SentBytes delivery={delivery} eventText={eventText} />
          {delivery.destination.kind === EXCHANGE ? null : <VerifySignature />}
        </div>
        <About delivery={delivery} name={name} />
      </div>
    </Page>
  );
}

function About({ delivery, name }: { delivery: DeliveryDetail; name: string }) {
  const {
    quoteId,
    orderId,
    endpointId,
    eventId,
    sequence,
    createdAt,
    nextAttemptAt,
    waitingFor,
    attemptCount,
  } = delivery;
  return (
    <Panel title="About">
      <Facts
        rows={[
          [
            'Payment',
            <Link key="payment" to="/payments/$quoteId" params={{ quoteId }} className={styles['link']}>
              {orderId ?? shortened(quoteId, 8, 4)}
            </Link>,
          ],
          [
            'Endpoint',
            <Link
              key="endpoint"
              to="/endpoints/$endpointId"
              params={{ endpointId }}
              className={styles['link']}
            >
              {name}
            </Link>,
          ],
          ['Event', <Identifier key="event" value={eventId} what="event id" />],
          ['Event of its payment', `#${sequence}`],
          ['Recorded', <Time key="recorded" at={createdAt} />],
          ['Attempts', `${attemptCount}`],
          waitingFor === null ? null : ['Now', <Waiting key="now" delivery={delivery} />],
          nextAttemptAt === null ? null : ['Next attempt', <Until key="next" at={nextAttemptAt} />],
        ]}
      />
    </Panel>
  );
}

const GONE: Readonly<Record<string, string>> = {
  deleted: 'Its endpoint was deleted.',
  nobody: 'There was no endpoint.',
};

function Retry({ delivery: { id, state, destination }, name }: { delivery: DeliveryDetail; name: string }) {
  const client = useQueryClient();
  const refusal = useRefusal('repair');
  const retry = useMutation({
    mutationFn: async () => [await resend(id)],
    onSettled: () => client.invalidateQueries({ queryKey: ['delivery', id] }),
  });
  return (
    <>
      <Button
        kind={state === 'delivered' ? 'plain' : 'primary'}
        refusal={GONE[destination.kind] ?? refusal}
        isBusy={retry.isPending}
        onClick={() => retry.mutate()}
      >
        {state === 'delivered' ? 'Send it once more' : 'Send it now'}
      </Button>
      <ResendResult name={name} isPending={retry.isPending} resent={retry.data} error={retry.error} />
    </>
  );
}
