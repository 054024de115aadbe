import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { destinationsQuery } from '../../api/queries.ts';
import { EXCHANGE, type Destination } from '../../api/types.ts';
import { atLeast } from '../../format/amount.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { took } from '../../format/time.ts';
import layout from '../../ui/layout.module.css';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { DeliveriesOf } from '../deliveries/deliveries-of.tsx';
import { endpointWord, sayExchange } from '../endpoints/endpoint-state.ts';
import { EndpointCharts } from './endpoint-charts.tsx';
import styles from './endpoint.module.css';
import { Failures } from './failures.tsx';

/** RabbitMQ's exchange, as a destination like any other: what is set by the environment cannot be changed here. */
export function ExchangeScreen() {
  const { data, error, refetch } = useQuery(destinationsQuery());
  const exchange = data?.find(({ id }) => id === EXCHANGE);
  const back = <Link to="/endpoints">Endpoints</Link>;
  if (exchange === undefined)
    return (
      <Page title="RabbitMQ" back={back}>
        {data === undefined && error !== null ? (
          <ProblemNote error={error} onRetry={() => void refetch()} />
        ) : (
          <Panel>
            {data === undefined ? (
              <Skeleton lines={6} />
            ) : (
              <Empty title="RabbitMQ is off">Set RABBITMQ_URL, and every event is published there too.</Empty>
            )}
          </Panel>
        )}
      </Page>
    );
  const { text, tone } = endpointWord(exchange);
  return (
    <Page title={exchange.name} back={back} beside={<Tag tone={tone}>{text}</Tag>}>
      <Saying exchange={exchange} />
      <div className={layout['columns']}>
        <div className={layout['stack']}>
          <EndpointCharts endpointId={EXCHANGE} />
          <Failures endpointId={EXCHANGE} />
          <Panel title="Deliveries" isFlush>
            <DeliveriesOf endpointId={EXCHANGE} />
          </Panel>
        </div>
        <div className={layout['stack']}>
          <State exchange={exchange} />
          <LastFailure failure={exchange.lastFailure} />
        </div>
      </div>
    </Page>
  );
}

function Saying({ exchange }: { exchange: Destination }) {
  return <p className={layout['sentence']}>{sayExchange(exchange, useNow())}</p>;
}

function State({ exchange }: { exchange: Destination }) {
  const { since, waiting, isMore, waitingSince, lastDeliveredAt, latency } = exchange;
  return (
    <Panel title="State">
      <Facts
        rows={[
          ['Now', endpointWord(exchange).text],
          since === null ? null : ['Since', <Time key="since" at={since} />],
          ['Waiting', atLeast(waiting, isMore)],
          waitingSince === null ? null : ['Oldest waits', <Ago key="oldest" at={waitingSince} />],
          ['Last confirmed', <Ago key="last" at={lastDeliveredAt} />],
          ['Confirmed in (median)', latency.p50 === null ? '–' : took(latency.p50)],
          ['95 % within', latency.p95 === null ? '–' : took(latency.p95)],
        ]}
      />
    </Panel>
  );
}

function LastFailure({ failure }: { failure: Destination['lastFailure'] }) {
  if (failure === null) return null;
  const { at, failure: kind, advice, httpStatus, text, deliveryId } = failure;
  return (
    <Panel title="Last failure">
      <Facts
        rows={[
          ['How', attemptWords(kind, httpStatus)],
          ['At', <Time key="at" at={at} />],
          deliveryId === null
            ? null
            : [
                'Event',
                <Link
                  key="delivery"
                  to="/deliveries/$deliveryId"
                  params={{ deliveryId }}
                  className={styles['link']}
                >
                  its delivery
                </Link>,
              ],
        ]}
      />
      {text === null ? null : <p className={styles['said']}>{text}</p>}
      <p className={styles['dim']}>{advice}</p>
    </Panel>
  );
}
