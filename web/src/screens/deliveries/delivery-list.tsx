import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { nameOf } from '../../api/queries.ts';
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
  /** The list is about one destination, and does not name it in each row. */
  readonly isOfOne?: boolean;
}

export function DeliveryList({ search, limit, isOfOne = false }: DeliveryListProps) {
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
      <Empty title="No delivery">An event makes one for each destination. None matches these filters.</Empty>
    );
  return (
    <>
      <table className={`${table['table']} ${table['folded']}`}>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">State</th>
            <th scope="col">Order</th>
            {isOfOne ? null : (
              <th scope="col" className={table['optional']}>
                To
              </th>
            )}
            <th scope="col" className={table['optional']}>
              Last attempt
            </th>
            {isOfOne ? null : (
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
            <DeliveryRow key={delivery.id} delivery={delivery} isOfOne={isOfOne} />
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

function DeliveryRow({ delivery, isOfOne }: { delivery: Delivery; isOfOne: boolean }) {
  const { id, type, sequence, state, orderId, quoteId, nextAttemptAt, createdAt } = delivery;
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
      {isOfOne ? null : (
        <td className={table['optional']}>
          <span className={table['ellipsis']}>{nameOf(delivery)}</span>
        </td>
      )}
      <td className={`${table['optional']} ${table['dim']}`}>
        <LastAttempt delivery={delivery} />
      </td>
      {isOfOne ? null : (
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
      {lastFailure === null && lastHttpStatus === null
        ? 'confirmed'
        : attemptWords(lastFailure, lastHttpStatus)}
      {attemptCount === 1 ? '' : ` ×${attemptCount}`}, <Ago at={lastAttemptAt} />
    </>
  );
}
