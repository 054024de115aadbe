import { Link } from '@tanstack/react-router';

import type { Payment } from '../../api/types.ts';
import { money } from '../../format/amount.ts';
import { shortened } from '../../format/chains.ts';
import { factsOf, isWithheld, routeOf } from '../../../../src/domain/story/payment-facts.ts';
import { MatchTag, ProofTag, ResolutionTag, StatusTag, Tag } from '../../ui/tag.tsx';
import { Changed } from '../../ui/time.tsx';
import table from '../../ui/table.module.css';
import styles from './payments.module.css';
import { useChosen } from './use-selection.ts';

export function OrderCell({ payment: { orderId, quoteId } }: { payment: Payment }) {
  return (
    <Link to="/payments/$quoteId" params={{ quoteId }} className={table['cover']} data-row-link>
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
      {payment.verification === null ? null : (
        <ProofTag state={payment.verification.state} isWithheld={isWithheld(payment)} />
      )}
      <MatchTag match={payment.amounts?.match} />
      {payment.late ? <Tag tone="warn">late</Tag> : null}
      <ResolutionTag resolution={payment.resolution} />
    </span>
  );
}

export function AmountCell({ payment }: { payment: Payment }) {
  const { amount, symbol } = factsOf(payment);
  return amount === null ? <>–</> : <span>{money(amount, symbol)}</span>;
}

export function RouteCell({ payment }: { payment: Payment }) {
  return <>{routeOf(factsOf(payment)) ?? '–'}</>;
}

export function ChangedCell({ payment: { createdAt, updatedAt } }: { payment: Payment }) {
  return <Changed at={updatedAt} createdAt={createdAt} />;
}

export function SelectCell({ payment: { quoteId, orderId } }: { payment: Payment }) {
  const { chosen, toggle } = useChosen();
  return (
    <input
      type="checkbox"
      className={table['check']}
      aria-label={`Select ${orderId ?? quoteId}`}
      checked={chosen.has(quoteId)}
      onChange={() => toggle(quoteId)}
    />
  );
}
