import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { nameIn } from '../../api/queries.ts';
import type { Delivery } from '../../api/types.ts';
import { shortened } from '../../format/chains.ts';
import { counted } from '../../format/amount.ts';
import { attemptWords } from '../../format/failures.ts';
import { More } from '../../ui/more.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { StateTag } from '../../ui/tag.tsx';
import { Ago, Time, Until } from '../../ui/time.tsx';
import { deliveriesQuery } from './deliveries-query.ts';
import type { DeliveriesSearch } from './deliveries-search.ts';
import { Waiting } from './waiting.tsx';

interface DeliveryListProps {
  readonly search: DeliveriesSearch;
  readonly limit: number;
  /** Of the endpoints; empty where the list is about one of them. */
  readonly names: ReadonlyMap<string, string>;
}

export function DeliveryList({ search, limit, names }: DeliveryListProps) {
  const list = useInfiniteQuery(deliveriesQuery(search, limit));
  if (list.data === undefined)
    return list.isError ? (
      <ProblemNote error={list.error} onRetry={() => void list.refetch()} />
    ) : (
      <Skeleton lines={8} isTall />
    );
  const deliveries = list.data.pages.flatMap(({ data }) => data);
  if (deliveries.length === 0)
    return (
      <Empty title="No delivery">
        An event for a webhook endpoint makes one. None matches these filters.
      </Empty>
    );
  return (
    <>
      <table className={`${table['table']} ${table['folded']}`}>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">State</th>
            <th scope="col">Order</th>
            {names.size === 0 ? null : (
              <th scope="col" className={table['optional']}>
                Endpoint
              </th>
            )}
            <th scope="col" className={table['optional']}>
              Last attempt
            </th>
            {names.size === 0 ? null : (
              <th scope="col" className={`${table['optional']} ${table['number']}`}>
                Next
              </th>
            )}
            <th scope="col" className={table['number']}>
              Recorded
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} names={names} />
          ))}
        </tbody>
      </table>
      <p className={table['total']}>
        {list.hasNextPage
          ? `The newest ${deliveries.length}; older ones are below.`
          : counted(deliveries.length, 'delivery', 'deliveries')}
      </p>
      <More list={list}>Show older deliveries</More>
    </>
  );
}

function DeliveryRow({ delivery, names }: { delivery: Delivery; names: ReadonlyMap<string, string> }) {
  const { id, type, sequence, state, orderId, quoteId, endpointId, nextAttemptAt, createdAt } = delivery;
  return (
    <tr className={table['row']}>
      <td>
        <Link
          to="/deliveries/$deliveryId"
          params={{ deliveryId: id }}
          className={table['cover']}
          data-row-link
        >
          <code>{type}</code> <span className={table['dim']}>#{sequence}</span>
        </Link>
      </td>
      <td>
        <StateTag state={state} />
      </td>
      <td>
        <span className={table['ellipsis']}>{orderId ?? <code>{shortened(quoteId, 8, 4)}</code>}</span>
      </td>
      {names.size === 0 ? null : (
        <td className={table['optional']}>
          <span className={table['ellipsis']}>{nameIn(names, endpointId)}</span>
        </td>
      )}
      <td className={`${table['optional']} ${table['dim']}`}>
        <LastAttempt delivery={delivery} />
      </td>
      {names.size === 0 ? null : (
        <td className={`${table['optional']} ${table['number']} ${table['dim']}`}>
          <Until at={nextAttemptAt} />
        </td>
      )}
      <td className={`${table['number']} ${table['dim']}`}>
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function LastAttempt({ delivery }: { delivery: Delivery }) {
  const { attemptCount, lastAttemptAt, lastFailure, lastHttpStatus, waitingFor } = delivery;
  if (attemptCount === 0) return waitingFor === null ? <>none yet</> : <Waiting delivery={delivery} />;
  return (
    <>
      {attemptWords(lastFailure, lastHttpStatus)}
      {attemptCount === 1 ? '' : ` (${attemptCount} attempts)`} <Ago at={lastAttemptAt} />
    </>
  );
}
