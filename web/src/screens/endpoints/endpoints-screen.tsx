import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import { endpointName, endpointsQuery } from '../../api/queries.ts';
import type { Endpoint } from '../../api/types.ts';
import { count } from '../../format/amount.ts';
import { EVENT_TYPES } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Ago } from '../../ui/time.tsx';
import { AddEndpoint } from './add-endpoint.tsx';
import { endpointWord } from './endpoint-state.ts';

/** Where events are sent to. */
export function EndpointsScreen() {
  const endpoints = useQuery(endpointsQuery());
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button kind="primary" refusal={useRefusal('manage')} onClick={() => setIsAdding(true)}>
      Add an endpoint
    </Button>
  );
  return (
    <Page title="Endpoints" actions={add}>
      {endpoints.isError && endpoints.data === undefined ? (
        <ProblemNote error={endpoints.error} onRetry={() => void endpoints.refetch()} />
      ) : null}
      {endpoints.isPending ? (
        <Panel isFlush>
          <Skeleton lines={4} isTall />
        </Panel>
      ) : null}
      {endpoints.data === undefined ? null : <EndpointTable endpoints={endpoints.data} />}
      {isAdding ? <AddEndpoint onClose={() => setIsAdding(false)} /> : null}
    </Page>
  );
}

function EndpointTable({ endpoints }: { endpoints: readonly Endpoint[] }) {
  if (endpoints.length === 0)
    return (
      <Panel>
        <Empty title="No endpoint yet">
          Add the URL of the shop that wants to know of payments. Each event is then posted to it, signed,
          until it acknowledges.
        </Empty>
      </Panel>
    );
  return (
    <Panel isFlush>
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">State</th>
            <th scope="col" className={table['number']}>
              Waiting
            </th>
            <th scope="col" className={table['optional']}>
              Oldest waits
            </th>
            <th scope="col" className={table['optional']}>
              Last acknowledged
            </th>
            <th scope="col" className={table['optional']}>
              Events
            </th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <EndpointRow key={endpoint.id} endpoint={endpoint} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function EndpointRow({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, description, eventTypes, pending, oldestPendingAt, lastDeliveredAt } = endpoint;
  const { text, tone } = endpointWord(endpoint);
  const isAll = eventTypes.join() === EVENT_TYPES.join();
  return (
    <tr className={table['row']}>
      <td>
        <Link to="/endpoints/$endpointId" params={{ endpointId: id }} className={table['cover']} title={url}>
          <span className={table['ellipsis']}>{endpointName(endpoint)}</span>
        </Link>
        {description === null || description === '' ? null : (
          <span className={`${table['dim']} ${table['optional']}`}>
            {' '}
            {URL.canParse(url) ? new URL(url).host : url}
          </span>
        )}
      </td>
      <td>
        <Tag tone={tone}>{text}</Tag>
      </td>
      <td className={table['number']}>{count(pending)}</td>
      <td className={`${table['optional']} ${table['dim']}`}>
        <Ago at={oldestPendingAt} none="–" />
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>
        <Ago at={lastDeliveredAt} />
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>
        {isAll ? 'all' : `${eventTypes.length} types`}
      </td>
    </tr>
  );
}
