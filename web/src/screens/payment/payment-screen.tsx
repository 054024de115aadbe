import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';

import { useMay } from '../../access/whoami.ts';
import { useEvents } from '../../api/event-feed.ts';
import { destinationNames, destinationsQuery, whileAway } from '../../api/queries.ts';
import type { Delivery, DeliveryDetail, Destination, Payment, PaymentEvent } from '../../api/types.ts';
import { shortened } from '../../format/chains.ts';
import { factsOf, isWithheld } from '../../../../src/domain/story/payment-facts.ts';
import type { SaidDelivery } from '../../../../src/domain/story/untold-events.ts';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ProofTag, ResolutionTag, StatusTag, Tag } from '../../ui/tag.tsx';
import { PaymentActions } from './payment-actions.tsx';
import { PaymentPanels } from './payment-panels.tsx';
import {
  alsoPaidByQuery,
  attemptsQuery,
  deliveriesOfPaymentQuery,
  eventsQuery,
  paymentQuery,
} from './payment-queries.ts';
import { PaymentSentence } from './payment-sentence.tsx';
import styles from './payment.module.css';
import { Timeline } from './timeline-list.tsx';
import { timelineOf, wentAtOnce } from './timeline.ts';

/** The number of troubled deliveries whose attempts the timeline shows. */
const MAX_TROUBLED = 12;

const route = getRouteApi('/shell/payments/$quoteId');

export function PaymentScreen() {
  const { quoteId } = route.useParams();
  const client = useQueryClient();
  const onEvent = useCallback(
    ({ subject }: PaymentEvent) => {
      if (subject === quoteId) void client.invalidateQueries({ queryKey: ['payment', quoteId] });
    },
    [client, quoteId],
  );
  useEvents(onEvent);
  const payment = useQuery(paymentQuery(quoteId));

  if (payment.data === undefined)
    return (
      <Page title={shortened(quoteId)} back={<Link to="/payments">Payments</Link>}>
        {payment.isError ? (
          <ProblemNote error={payment.error} onRetry={() => void payment.refetch()} />
        ) : (
          <Panel>
            <Skeleton lines={8} />
          </Panel>
        )}
      </Page>
    );
  const { status, late, orderId, resolution, verification } = payment.data;
  return (
    <Page
      title={orderId ?? shortened(quoteId)}
      back={<Link to="/payments">Payments</Link>}
      beside={
        <>
          <StatusTag status={status} />
          {verification === null ? null : (
            <ProofTag state={verification.state} isWithheld={isWithheld(payment.data)} />
          )}
          {late ? <Tag tone="warn">late</Tag> : null}
          <ResolutionTag resolution={resolution} />
        </>
      }
      actions={<PaymentActions payment={payment.data} />}
    >
      <PaymentBody payment={payment.data} />
    </Page>
  );
}

function PaymentBody({ payment }: { payment: Payment }) {
  const { quoteId } = payment;
  const mayInspect = useMay('inspect');
  const alsoPaidBy = useQuery(alsoPaidByQuery(payment));
  const events = useQuery(eventsQuery(quoteId));
  const deliveries = useQuery(deliveriesOfPaymentQuery(quoteId, mayInspect));
  const { data: destinations } = useQuery(destinationsQuery(mayInspect));
  const troubled = (deliveries.data ?? [])
    .filter((delivery) => delivery.attemptCount > 0 && !wentAtOnce(delivery))
    .slice(-MAX_TROUBLED);
  const details = useQueries({
    queries: troubled.map(attemptsQuery),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const names = destinationNames(destinations);
  const isTold = mayInspect && !deliveries.isError;
  const items = timelineOf(events.data ?? [], deliveries.data ?? [], details, factsOf(payment).detectedAt);
  return (
    <>
      <PaymentSentence
        payment={payment}
        events={events.data}
        alsoPaidBy={alsoPaidBy.isError ? [] : alsoPaidBy.data}
        deliveries={isTold ? deliveries.data && withAnswers(deliveries.data, details, destinations) : []}
        destinations={isTold ? destinations && names : null}
      />
      <div className={styles['columns']}>
        <Panel title="What happened">
          {events.isError ? <ProblemNote error={events.error} onRetry={() => void events.refetch()} /> : null}
          {events.isPending ? <Skeleton lines={8} /> : <Timeline items={items} quote={payment.quote} />}
        </Panel>
        <PaymentPanels payment={payment} deliveries={mayInspect ? deliveries.data : []} />
      </div>
    </>
  );
}

/** The deliveries with their last answers, if their attempts were read. */
function withAnswers(
  deliveries: readonly Delivery[],
  details: readonly DeliveryDetail[],
  destinations: readonly Destination[] = [],
): SaidDelivery[] {
  const answers = new Map(details.map(({ id, attempts }) => [id, attempts.at(-1)?.body ?? null]));
  return deliveries.map((delivery) => ({
    ...whileAway(delivery, destinations),
    lastAnswer: answers.get(delivery.id) ?? null,
  }));
}
