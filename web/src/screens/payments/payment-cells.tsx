import { Link } from '@tanstack/react-router';

import type { Payment } from '../../api/types.ts';
import { money } from '../../format/amount.ts';
import { shortened } from '../../format/chains.ts';
import { factsOf, routeOf } from '../../payment-facts/facts.ts';
import { StatusTag, Tag } from '../../ui/tag.tsx';
import table from '../../ui/table.module.css';
import styles from './payments.module.css';

export function OrderCell({ payment: { orderId, quoteId } }: { payment: Payment }) {
  return (
    <Link to="/payments/$quoteId" params={{ quoteId }} className={table['cover']}>
      {orderId === null ? (
        <code>{shortened(quoteId, 8, 4)}</code>
      ) : (
        <span className={table['ellipsis']}>{orderId}</span>
      )}
    </Link>
  );
}

export function StatusCell({ payment }: { payment: Payment }) {
  return (
    <span className={styles['tags']}>
      <StatusTag status={payment.status} />
      {payment.late ? <Tag tone="warn">late</Tag> : null}
      {payment.resolution === null ? null : <Tag tone="wait">resolved</Tag>}
    </span>
  );
}

export function AmountCell({ payment }: { payment: Payment }) {
  const { amount, symbol } = factsOf(payment);
  return amount === null ? <>–</> : <>{money(amount, symbol)}</>;
}

export function RouteCell({ payment }: { payment: Payment }) {
  return <>{routeOf(factsOf(payment)) ?? '–'}</>;
}
