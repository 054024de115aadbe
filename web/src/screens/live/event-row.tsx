import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import type { PaymentEvent } from '../../api/types.ts';
import { shortened } from '../../format/chains.ts';
import { eventTone, statusWord } from '../../format/words.ts';
import { Code } from '../../ui/code.tsx';
import { cx } from '../../ui/cx.ts';
import dot from '../../ui/dot.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './live.module.css';

/** One event; when opened, its JSON. */
export function EventRow({ event }: { event: PaymentEvent }) {
  const [isOpen, setIsOpen] = useState(false);
  const { type, time, data } = event;
  return (
    <li className={styles['event']}>
      <div className={styles['row']}>
        <span className={styles['time']}>
          <Time at={time} />
        </span>
        <i className={cx(dot['dot'], dot[eventTone(type)])} aria-hidden="true" />
        <span className={styles['type']}>
          <code>{type}</code> <span className={styles['dim']}>#{data.sequence}</span>
          {data.late ? <Tag tone="warn">late</Tag> : null}
        </span>
        <Link to="/payments/$quoteId" params={{ quoteId: data.quoteId }} className={styles['order']}>
          {data.orderId ?? shortened(data.quoteId, 8, 4)}
        </Link>
        <span className={cx(styles['dim'], styles['change'])}>{changeOf(event)}</span>
        <button
          type="button"
          className={styles['open']}
          aria-expanded={isOpen}
          aria-label={`JSON of ${type} number ${data.sequence}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Close' : 'JSON'}
        </button>
      </div>
      {isOpen ? <Code text={JSON.stringify(event, null, 2)} what={`JSON of ${type}`} /> : null}
    </li>
  );
}

function changeOf({ data: { previousStatus, status, reason } }: PaymentEvent): string {
  if (reason !== undefined) return reason.replaceAll('_', ' ');
  if (previousStatus === null || previousStatus === status) return statusWord(status).text;
  return `${statusWord(previousStatus).text} → ${statusWord(status).text}`;
}
