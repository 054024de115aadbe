import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';

import type { Search } from '../../format/search-params.ts';
import { counted, total } from '../../format/amount.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Empty, LeftOut, ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { CsvButton } from './csv-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { countQuery } from './payments-query.ts';
import {
  filterCount,
  leftOutOfPayments,
  type PaymentsSearch,
  readPaymentsSearch,
} from './payments-search.ts';
import { PaymentsTable } from './payments-table.tsx';
import styles from './payments.module.css';
import { usePayments } from './use-payments.ts';
import { SelectionContext, useSelection } from './use-selection.ts';

const route = getRouteApi('/shell/payments');

export function PaymentsScreen() {
  const asked = route.useSearch();
  // The router keeps words that the reader of the address has left out.
  const search = useMemo(() => readPaymentsSearch(asked as Search), [asked]);
  const { list, payments, newCount, showNew } = usePayments(search);
  const selection = useSelection();

  function toNew(): void {
    window.scrollTo({ top: 0 });
    void showNew();
  }

  return (
    <Page
      title="Payments"
      beside={
        list.isSuccess ? <Total search={search} shown={payments.length} isMore={list.hasNextPage} /> : null
      }
      actions={<CsvButton search={search} />}
    >
      <LeftOut sentences={leftOutOfPayments(asked)} />
      <FilterBar search={search} />
      {list.isError && list.data === undefined ? (
        <ProblemNote error={list.error} onRetry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? (
        <Panel isFlush>
          <Skeleton lines={12} isTall />
        </Panel>
      ) : null}
      {list.isSuccess && payments.length === 0 && !list.hasNextPage ? <NoPayments search={search} /> : null}
      {payments.length > 0 || list.hasNextPage ? (
        <SelectionContext value={selection}>
          <div>
            <News count={newCount} onShow={toNew} />
            <PaymentsTable
              payments={payments}
              rest={search.sort === 'oldest' ? 'newer' : 'older'}
              hasMore={list.hasNextPage}
              isReading={list.isFetchingNextPage}
              readMore={() => void list.fetchNextPage()}
            />
            <BulkBar payments={payments} />
          </div>
        </SelectionContext>
      ) : null}
    </Page>
  );
}

interface TotalProps {
  readonly search: PaymentsSearch;
  readonly shown: number;
  readonly isMore: boolean;
}

/** The number of payments. A list that was read to its end needs no count. */
function Total({ search, shown, isMore }: TotalProps) {
  const { data } = useQuery(countQuery(search, isMore));
  if (!isMore) return <span>{counted(shown, 'payment')}</span>;
  return data === undefined ? null : <span>{total(data, 'payment')}</span>;
}

/** Announces newer payments, and lets the reader decide when the rows move. */
function News({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div className={styles['news']} role="status">
      {count === 0 ? null : (
        <Button kind="primary" size="s" onClick={onShow}>
          {counted(count, 'new payment')}
        </Button>
      )}
    </div>
  );
}

function NoPayments({ search }: { search: PaymentsSearch }) {
  if (search.search !== undefined)
    return (
      <Panel>
        <Empty title={`No payment is found by “${search.search}”`}>
          Searched: order ids by their beginning; quote ids, addresses and transactions whole or by their
          first characters (6 of a hexadecimal one, 8 of another); whole amounts. Metadata is not searched.{' '}
          {filterCount(search) > 1 ? 'Other filters are on too. ' : ''}
          <Link to="/payments" search={{}} className={buttonClass('quiet', 's')}>
            Show all payments
          </Link>
        </Empty>
      </Panel>
    );
  if (filterCount(search) > 0)
    return (
      <Panel>
        <Empty title="No payment matches">
          Take a filter away, or{' '}
          <Link to="/payments" search={{}} className={buttonClass('quiet', 's')}>
            show all payments
          </Link>
        </Empty>
      </Panel>
    );
  return (
    <Panel>
      <Empty title="No payments yet">
        A payment appears here as soon as a quote is asked for through Paybell, or handed over with POST
        /api/payments.
      </Empty>
    </Panel>
  );
}
