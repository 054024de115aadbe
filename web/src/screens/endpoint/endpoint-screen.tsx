import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { endpointName } from '../../api/queries.ts';
import { EXCHANGE, type Endpoint } from '../../api/types.ts';
import { atLeast } from '../../format/amount.ts';
import { EVENT_TYPES } from '../../format/words.ts';
import { CopyButton } from '../../ui/copy.tsx';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Ago, Time, Until } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { DeliveriesOf } from '../deliveries/deliveries-of.tsx';
import { endpointWord, sayEndpoint } from '../endpoints/endpoint-state.ts';
import { EndpointActions, RareActions } from './endpoint-actions.tsx';
import { EndpointCharts } from './endpoint-charts.tsx';
import { endpointQuery } from './endpoint-queries.ts';
import { ExchangeScreen } from './exchange-screen.tsx';
import { Failures } from './failures.tsx';
import styles from './endpoint.module.css';
import { Recoveries } from './recoveries.tsx';

const route = getRouteApi('/shell/endpoints/$endpointId');

export function EndpointScreen() {
  const { endpointId } = route.useParams();
  return endpointId === EXCHANGE ? <ExchangeScreen /> : <WebhookScreen endpointId={endpointId} />;
}

function WebhookScreen({ endpointId }: { endpointId: string }) {
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(endpointId));
  const back = <Link to="/endpoints">Endpoints</Link>;
  if (endpoint === undefined)
    return (
      <Page title="Endpoint" back={back}>
        {error === null ? (
          <Panel>
            <Skeleton lines={6} />
          </Panel>
        ) : (
          <ProblemNote error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  const { text, tone } = endpointWord(endpoint);
  return (
    <Page
      title={endpointName(endpoint)}
      back={back}
      beside={<Tag tone={tone}>{text}</Tag>}
      actions={<EndpointActions endpoint={endpoint} />}
    >
      <Saying endpoint={endpoint} />
      <div className={layout['columns']}>
        <div className={layout['stack']}>
          <EndpointCharts endpointId={endpointId} />
          <Failures endpointId={endpointId} />
          <Panel title="Deliveries" isFlush>
            <DeliveriesOf endpointId={endpointId} />
          </Panel>
        </div>
        <div className={layout['stack']}>
          <State endpoint={endpoint} />
          <Settings endpoint={endpoint} />
          <Recoveries endpointId={endpointId} />
          <RareActions endpoint={endpoint} />
        </div>
      </div>
    </Page>
  );
}

function Saying({ endpoint }: { endpoint: Endpoint }) {
  return <p className={layout['sentence']}>{sayEndpoint(endpoint, useNow())}</p>;
}

function State({ endpoint }: { endpoint: Endpoint }) {
  const { state, circuit, failingSince, nextProbeAt, pending, oldestPendingAt, unsent, lastDeliveredAt } =
    endpoint;
  const isFailing = state === 'open' || state === 'failing';
  return (
    <Panel title="State">
      <Facts
        rows={[
          ['Circuit', circuit],
          failingSince === null || !isFailing
            ? null
            : ['Failing since', <Time key="since" at={failingSince} />],
          nextProbeAt === null ? null : ['Next probe', <Until key="probe" at={nextProbeAt} />],
          ['Waiting', atLeast(pending)],
          oldestPendingAt === null ? null : ['Oldest waits', <Ago key="oldest" at={oldestPendingAt} />],
          unsent.count === 0 ? null : ['Not sent while disabled', atLeast(unsent.count, unsent.isMore)],
          ['Last acknowledged', <Ago key="last" at={lastDeliveredAt} />],
        ]}
      />
    </Panel>
  );
}

function Settings({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, eventTypes, signature, publicKey, previousSecretExpiresAt, createdAt } = endpoint;
  const isAll = eventTypes.join() === EVENT_TYPES.join();
  return (
    <Panel title="Settings">
      <Facts
        rows={[
          ['URL', <Copied key="url" value={url} what="URL" />],
          ['Events', isAll ? 'all types' : eventTypes.map((type) => type.replace('payment.', '')).join(', ')],
          ['Signature', signature === 'v1' ? 'shared secret (v1)' : 'key pair (v1a)'],
          publicKey === null
            ? null
            : ['Public key', <Copied key="key" value={publicKey} what="public key" />],
          previousSecretExpiresAt === null
            ? null
            : ['Former secret', <FormerSecret key="former" until={previousSecretExpiresAt} />],
          ['Id', <Copied key="id" value={id} what="id" />],
          ['Added', <Time key="added" at={createdAt} />],
        ]}
      />
    </Panel>
  );
}

/** Until this time both secrets sign, so that the shop can switch over. */
function FormerSecret({ until }: { until: string }) {
  return (
    <>
      signs too, ends <Until at={until} />
    </>
  );
}

function Copied({ value, what }: { value: string; what: string }) {
  return (
    <span className={styles['copied']}>
      <span title={value}>{value}</span>
      <CopyButton text={value} what={what} />
    </span>
  );
}
