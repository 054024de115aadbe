import { getRouteApi, Link } from '@tanstack/react-router';

import { counted } from '../../format/amount.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { CsvButton } from './csv-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { hasFilters } from './payments-search.ts';
import { PaymentsTable } from './payments-table.tsx';
import styles from './payments.module.css';
import { usePayments } from './use-payments.ts';
import { SelectionContext, useSelection } from './use-selection.ts';

const route = getRouteApi('/shell/payments');

export function PaymentsScreen() {
  const search = route.useSearch();
  const { list, payments, newCount, showNew } = usePayments(search);
  const selection = useSelection();

  function toNew(): void {
    window.scrollTo({ top: 0 });
    void showNew();
  }

  return (
    <Page
      title="Payments"
      beside={list.isSuccess ? <Total shown={payments.length} isMore={list.hasNextPage} /> : null}
      actions={<CsvButton search={search} />}
    >
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

/** How many payments there are, as far as they were read: counting millions would take longer than the list. */
function Total({ shown, isMore }: { shown: number; isMore: boolean }) {
  return (
    <span>{isMore ? `the newest ${counted(shown, 'payment')}, and more` : counted(shown, 'payment')}</span>
  );
}

/** Says that there is more above, and leaves it to the reader when the rows move. */
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

function NoPayments({ search }: { search: ReturnType<typeof route.useSearch> }) {
  if (search.search !== undefined)
    return (
      <Panel>
        <Empty title={`No payment is found by “${search.search}”`}>
          Searched: order ids by their beginning; quote ids, addresses and transactions whole or by their
          first characters (6 of a hexadecimal one, 8 of another). Amounts and metadata are not searched.{' '}
          {Object.keys(search).length > 1 ? 'Other filters are on too. ' : ''}
          <Link to="/payments" search={{}} className={buttonClass('quiet', 's')}>
            Show all payments
          </Link>
        </Empty>
      </Panel>
    );
  if (hasFilters(search))
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
