import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { nameOf } from '../../api/queries.ts';
import type { CountAnswer, Delivery } from '../../api/types.ts';
import { shortened } from '../../format/chains.ts';
import { count, counted, total } from '../../format/amount.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { More } from '../../ui/more.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { StateTag } from '../../ui/tag.tsx';
import { Changed, Until } from '../../ui/time.tsx';
import styles from './deliveries.module.css';
import { deliveriesQuery, deliveryCountQuery } from './deliveries-query.ts';
import type { DeliveriesSearch } from './deliveries-search.ts';
import { Waiting } from './waiting.tsx';

interface DeliveryListProps {
  readonly search: DeliveriesSearch;
  readonly limit: number;
  /** True: all rows have one destination, which they do not name. */
  readonly isOfOne?: boolean;
}

export function DeliveryList({ search, limit, isOfOne = false }: DeliveryListProps) {
  const list = useInfiniteQuery(deliveriesQuery(search, limit));
  const { data: all } = useQuery(deliveryCountQuery(search, list.hasNextPage));
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
    <div className={styles['room']}>
      <table className={`${table['table']} ${styles['list']}`}>
        <Head isOfOne={isOfOne} />
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              destination={isOfOne ? null : nameOf(delivery)}
            />
          ))}
        </tbody>
      </table>
      <p className={table['total']}>
        {list.hasNextPage
          ? shownOf(deliveries.length, all)
          : counted(deliveries.length, 'delivery', 'deliveries')}
      </p>
      <More list={list}>Show {search.sort === 'oldest' ? 'newer' : 'older'} deliveries</More>
    </div>
  );
}

/** `50 of 1,234 deliveries`. */
function shownOf(shown: number, all: CountAnswer | undefined): string {
  const words = all === undefined ? null : total(all, 'delivery', 'deliveries');
  return words === null ? `${count(shown)} shown` : `${count(shown)} of ${words}`;
}

function Head({ isOfOne }: { isOfOne: boolean }) {
  return (
    <thead>
      <tr>
        <th scope="col">Event</th>
        <th scope="col">State</th>
        <th scope="col">Order</th>
        {isOfOne ? null : <th scope="col">To</th>}
        <th scope="col">Last attempt</th>
        {isOfOne ? null : (
          <th scope="col" className={table['number']}>
            Next
          </th>
        )}
        <th scope="col" className={table['number']}>
          Last change
        </th>
      </tr>
    </thead>
  );
}

/** `destination` is the destination's name; null if the list is about one destination. */
function DeliveryRow({ delivery, destination }: { delivery: Delivery; destination: string | null }) {
  const { id, type, sequence, state, orderId, quoteId, nextAttemptAt, createdAt, lastAttemptAt } = delivery;
  return (
    <tr className={table['row']}>
      <td className={styles['event']}>
        <Link
          to="/deliveries/$deliveryId"
          params={{ deliveryId: id }}
          className={table['cover']}
          data-row-link
        >
          <code>{type}</code> <span className={table['dim']}>#{sequence}</span>
        </Link>
      </td>
      <td className={styles['state']}>
        <StateTag state={state} />
      </td>
      <td className={styles['order']}>
        <span className={table['ellipsis']}>{orderId ?? <code>{shortened(quoteId, 8, 4)}</code>}</span>
      </td>
      {destination === null ? null : (
        <td className={styles['endpoint']}>
          <span className={table['ellipsis']}>{destination}</span>
        </td>
      )}
      <td className={`${styles['attempt']} ${table['dim']}`}>
        <LastAttempt delivery={delivery} />
      </td>
      {destination === null ? null : (
        <td className={`${styles['next']} ${table['number']} ${table['dim']}`}>
          <Until at={nextAttemptAt} />
        </td>
      )}
      <td className={`${styles['when']} ${table['number']} ${table['dim']}`}>
        <Changed at={lastAttemptAt ?? createdAt} createdAt={createdAt} />
      </td>
    </tr>
  );
}

function LastAttempt({ delivery }: { delivery: Delivery }) {
  const { attemptCount, lastFailure, lastHttpStatus, waitingFor } = delivery;
  if (attemptCount === 0) return waitingFor === null ? <>none yet</> : <Waiting delivery={delivery} />;
  const times = attemptCount === 1 ? '' : ` (${count(attemptCount)} attempts)`;
  const words =
    lastFailure === null && lastHttpStatus === null ? 'confirmed' : attemptWords(lastFailure, lastHttpStatus);
  return <>{`${words}${times}`}</>;
}
