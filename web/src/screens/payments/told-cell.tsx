import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { destinationsQuery, nameOf, whileAway } from '../../api/queries.ts';
import type { Payment } from '../../api/types.ts';
import { cx } from '../../ui/cx.ts';
import dot from '../../ui/dot.module.css';
import { SkeletonWord } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import styles from './payments.module.css';
import { useProgressOf } from './progress.ts';
import { toldLine } from './told-line.ts';

/** Whether the payment's destinations know of it. Shows nothing before all the needed facts are read. */
export function ToldCell({ payment }: { payment: Payment }) {
  const { progress, isPending } = useProgressOf(payment);
  const { data: destinations, isPending: areDestinationsPending } = useQuery(destinationsQuery());
  if (isPending || areDestinationsPending) return <SkeletonWord />;
  if (progress === undefined) return <>not known</>;
  const { deliveries, exchange } = progress;
  const all = [...(exchange === null ? [] : [exchange]), ...deliveries];
  const { tone, name, words, rest, hint } = toldLine(
    all.map((sent) => ({ name: nameOf(sent), sent: whileAway(sent, destinations) })),
  );
  return (
    <Link
      to="/payments/$quoteId"
      params={{ quoteId: payment.quoteId }}
      className={cx(table['hovered'], styles['told'], tone === 'bad' && styles['untold'])}
      tabIndex={-1}
      title={hint}
    >
      <i className={cx(dot['dot'], dot[tone])} aria-hidden="true" />
      {name === null ? null : <span className={styles['told-name']}>{name}</span>}
      <span className={styles['told-words']}>{words}</span>
      {rest === '' ? null : <span>{rest}</span>}
    </Link>
  );
}
