import { Link } from '@tanstack/react-router';

import { nameOf } from '../../api/queries.ts';
import { EXCHANGE, type Delivery, type PaymentEvent } from '../../api/types.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { counted } from '../../format/amount.ts';
import { took } from '../../format/time.ts';
import { eventTone } from '../../format/words.ts';
import { cx } from '../../ui/cx.ts';
import dot from '../../ui/dot.module.css';
import { Empty } from '../../ui/notes.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import { eventWords } from '../../../../src/domain/story/event-words.ts';
import { ReportDifference } from './report-difference.tsx';
import styles from './timeline.module.css';
import type { AttemptItem, EventItem, TimelineItem } from './timeline.ts';

interface TimelineProps {
  readonly items: readonly TimelineItem[];
  readonly quote: unknown;
}

export function Timeline({ items, quote }: TimelineProps) {
  const events = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  if (items.length === 0) return <Empty title="No events yet" />;
  return (
    <ol className={styles['line']}>
      {items.map((item) =>
        item.kind === 'event' ? (
          <EventEntry key={item.key} item={item} quote={quote} events={events} />
        ) : item.kind === 'attempt' ? (
          <AttemptEntry key={item.key} item={item} />
        ) : (
          <DepositEntry key={item.key} at={item.at} />
        ),
      )}
    </ol>
  );
}

interface EventEntryProps {
  readonly item: EventItem;
  readonly quote: unknown;
  readonly events: readonly PaymentEvent[];
}

function EventEntry({ item: { event, delivered, at }, quote, events }: EventEntryProps) {
  const { type, data } = event;
  return (
    <li className={styles['entry']}>
      <span className={styles['time']}>
        <Time at={at} />
      </span>
      <i className={cx(dot['dot'], dot[eventTone(type)], styles['mark'])} aria-hidden="true" />
      <div className={styles['what']}>
        <span className={styles['head']}>
          <code>{type}</code> <span className={styles['dim']}>#{data.sequence}</span>
          {data.late ? <Tag tone="warn">late</Tag> : null}
        </span>
        <span className={styles['words']}>{eventWords(event, events, quote)}</span>
        {delivered.length === 0 ? null : (
          <span className={styles['delivery']}>
            {delivered.map((delivery) => (
              <Link key={delivery.id} to="/deliveries/$deliveryId" params={{ deliveryId: delivery.id }}>
                {nameOf(delivery)} {acknowledged(delivery)}
              </Link>
            ))}
          </span>
        )}
        {data.payment === null ? null : <ReportDifference event={event} events={events} />}
      </div>
    </li>
  );
}

/** The time that the provider reports for the deposit. */
function DepositEntry({ at }: { at: string }) {
  return (
    <li className={styles['entry']}>
      <span className={styles['time']}>
        <Time at={at} />
      </span>
      <i className={cx(dot['dot'], dot['busy'], styles['small'])} aria-hidden="true" />
      <div className={styles['what']}>
        <span className={styles['head']}>The deposit came</span>
        <span className={styles['words']}>By a later report of the provider</span>
      </div>
    </li>
  );
}

function acknowledged({ destination, lastHttpStatus, createdAt, lastAttemptAt }: Delivery): string {
  // The time of a confirm at the first attempt is not stored.
  if (destination.kind === EXCHANGE) return 'confirmed';
  const status = lastHttpStatus === null ? 'acknowledged' : `${lastHttpStatus}`;
  if (lastAttemptAt === null) return status;
  return `${status} after ${took(Date.parse(lastAttemptAt) - Date.parse(createdAt))}`;
}

function AttemptEntry({ item }: { item: AttemptItem }) {
  const { attempt, delivery, skipped, at } = item;
  const { failure, httpStatus, number, durationMs, address, body } = attempt;
  const name = nameOf(delivery);
  return (
    <li className={styles['entry']}>
      <span className={styles['time']}>
        <Time at={at} />
      </span>
      <i
        className={cx(dot['dot'], styles['small'], styles[failure === null ? 'ok' : 'bad'])}
        aria-hidden="true"
      />
      <div className={styles['what']}>
        {skipped === 0 ? null : <span className={styles['dim']}>{counted(skipped, 'attempt')} between</span>}
        <span className={styles['head']}>
          {name}
          {failure !== null && httpStatus === null ? ': ' : ' '}
          {failure === null ? 'acknowledged' : attemptWords(failure, httpStatus)}{' '}
          <span className={styles['dim']}>
            #{delivery.sequence}, attempt {number}
          </span>
        </span>
        <span className={styles['words']}>
          {body === null || body === '' ? '' : `“${body.slice(0, 120)}” · `}
          {took(durationMs)}
          {address === null ? '' : ` · ${address}`} ·{' '}
          <Link to="/deliveries/$deliveryId" params={{ deliveryId: delivery.id }}>
            what was sent
          </Link>
        </span>
      </div>
    </li>
  );
}
