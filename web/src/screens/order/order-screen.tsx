import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';

import { call } from '../../api/client.ts';
import { useEvents } from '../../api/event-feed.ts';
import type { Order, Payment, PaymentEvent } from '../../api/types.ts';
import { money } from '../../format/amount.ts';
import { shortened } from '../../format/chains.ts';
import { sayOrder } from '../../../../src/domain/story/say-order.ts';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import layout from '../../ui/layout.module.css';
import table from '../../ui/table.module.css';
import { AmountCell, ChangedCell, RouteCell, StatusCell } from '../payments/payment-cells.tsx';

const READ_EVERY_MS = 10_000;

const route = getRouteApi('/shell/orders/$orderId');

function orderQuery(orderId: string) {
  return queryOptions({
    queryKey: ['order', orderId] as const,
    queryFn: ({ signal }): Promise<Order> =>
      call('get', '/api/orders/{orderId}', { path: { orderId }, signal }),
    refetchInterval: READ_EVERY_MS,
  });
}

/** An order: each quote made for it is a payment. */
export function OrderScreen() {
  const { orderId } = route.useParams();
  const client = useQueryClient();
  const onEvent = useCallback(
    ({ data }: PaymentEvent) => {
      if (data.orderId === orderId) void client.invalidateQueries({ queryKey: ['order', orderId] });
    },
    [client, orderId],
  );
  useEvents(onEvent);
  const order = useQuery(orderQuery(orderId));
  return (
    <Page title={`Order ${orderId}`} back={<Link to="/payments">Payments</Link>}>
      {order.isError && order.data === undefined ? (
        <ProblemNote error={order.error} onRetry={() => void order.refetch()} />
      ) : null}
      {order.isPending ? (
        <Panel isFlush>
          <Skeleton lines={4} isTall />
        </Panel>
      ) : null}
      {order.data === undefined ? null : <OrderBody order={order.data} />}
    </Page>
  );
}

function OrderBody({ order }: { order: Order }) {
  const { orderId, payments, nextCursor } = order;
  return (
    <>
      <p className={layout['sentence']}>{sayOrder(order)}</p>
      <Panel title="Payments" isFlush>
        <table className={`${table['table']} ${table['folded']}`}>
          <thead>
            <tr>
              <th scope="col">Quote</th>
              <th scope="col">Status</th>
              <th scope="col" className={table['number']}>
                Amount
              </th>
              <th scope="col" className={table['optional']}>
                Route
              </th>
              <th scope="col" className={table['number']}>
                Last change
              </th>
            </tr>
          </thead>
          <tbody>
            {payments.map((payment) => (
              <PaymentRow key={payment.quoteId} payment={payment} />
            ))}
          </tbody>
        </table>
      </Panel>
      <Sums sums={order.sums} />
      {nextCursor === null ? null : (
        <p>
          <Link to="/payments" search={{ orderId }}>
            All payments of this order
          </Link>
        </p>
      )}
    </>
  );
}

/** Empty before the first deposit. */
function Sums({ sums: { send, receive } }: Pick<Order, 'sums'>) {
  if (send.length === 0) return null;
  const rows = [
    ...send.flatMap(({ asked, came, symbol }) => [
      sumOf('Asked', asked, symbol),
      sumOf('Came', came, symbol),
    ]),
    ...receive.flatMap(({ promised, arrived, symbol }) => [
      sumOf('Promised', promised, symbol),
      sumOf('Arrived', arrived, symbol),
    ]),
  ];
  return (
    <Panel title="Sums">
      <Facts rows={rows} />
    </Panel>
  );
}

function sumOf(name: string, amount: string | null, symbol: string | null): readonly [string, string] {
  return [name, amount === null ? 'not said' : money(amount, symbol)];
}

function PaymentRow({ payment }: { payment: Payment }) {
  const { quoteId } = payment;
  return (
    <tr className={table['row']}>
      <td>
        <Link to="/payments/$quoteId" params={{ quoteId }} className={table['cover']} data-row-link>
          <code>{shortened(quoteId, 8, 4)}</code>
        </Link>
      </td>
      <td>
        <StatusCell payment={payment} />
      </td>
      <td className={table['number']}>
        <AmountCell payment={payment} />
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>
        <RouteCell payment={payment} />
      </td>
      <td className={`${table['number']} ${table['dim']}`}>
        <ChangedCell payment={payment} />
      </td>
    </tr>
  );
}
