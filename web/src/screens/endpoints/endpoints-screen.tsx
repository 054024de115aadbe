import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import { destinationName, destinationsQuery } from '../../api/queries.ts';
import type { Destination } from '../../api/types.ts';
import { atLeast } from '../../format/amount.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { took } from '../../format/time.ts';
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

/** The destinations of events. */
export function EndpointsScreen() {
  const destinations = useQuery(destinationsQuery());
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button kind="primary" refusal={useRefusal('manage')} onClick={() => setIsAdding(true)}>
      Add an endpoint
    </Button>
  );
  return (
    <Page title="Endpoints" actions={add}>
      {destinations.isError && destinations.data === undefined ? (
        <ProblemNote error={destinations.error} onRetry={() => void destinations.refetch()} />
      ) : null}
      {destinations.isPending ? (
        <Panel isFlush>
          <Skeleton lines={4} isTall />
        </Panel>
      ) : null}
      {destinations.data === undefined ? null : <DestinationTable destinations={destinations.data} />}
      {isAdding ? <AddEndpoint onClose={() => setIsAdding(false)} /> : null}
    </Page>
  );
}

function DestinationTable({ destinations }: { destinations: readonly Destination[] }) {
  if (destinations.length === 0)
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
      <table className={`${table['table']} ${table['folded']}`}>
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
              Last failure
            </th>
            <th scope="col" className={`${table['optional']} ${table['number']}`}>
              Median
            </th>
          </tr>
        </thead>
        <tbody>
          {destinations.map((destination) => (
            <DestinationRow key={destination.id} destination={destination} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function DestinationRow({ destination }: { destination: Destination }) {
  const { id, name, url, waiting, isMore, waitingSince, lastDeliveredAt, lastFailure, latency } = destination;
  const { text, tone } = endpointWord(destination);
  return (
    <tr className={table['row']}>
      <td>
        <Link
          to="/endpoints/$endpointId"
          params={{ endpointId: id }}
          className={table['cover']}
          title={url ?? name}
          data-row-link
        >
          <span className={table['ellipsis']}>{destinationName(destination)}</span>
        </Link>
        {url === null || name === url ? null : (
          <span className={`${table['dim']} ${table['optional']}`}>
            {' '}
            {URL.canParse(url) ? new URL(url).host : url}
          </span>
        )}
      </td>
      <td>
        <Tag tone={tone}>{text}</Tag>
      </td>
      <td className={table['number']}>
        {atLeast(waiting, isMore)}
        <span className={table['unit']}> {waiting === 1 ? 'event waits' : 'events wait'}</span>
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>
        <Ago at={waitingSince} none="–" />
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>
        <Ago at={lastDeliveredAt} />
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>
        {lastFailure === null ? (
          '–'
        ) : (
          <span className={table['ellipsis']} title={lastFailure.text ?? undefined}>
            {attemptWords(lastFailure.failure, lastFailure.httpStatus)}
          </span>
        )}
      </td>
      <td className={`${table['optional']} ${table['number']} ${table['dim']}`}>
        {latency.p50 === null ? '–' : took(latency.p50)}
      </td>
    </tr>
  );
}
