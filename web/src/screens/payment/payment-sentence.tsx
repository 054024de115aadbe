import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { SaidEvent, SaidPayment } from '../../../../src/domain/story/story.ts';
import { tellPayment } from '../../../../src/domain/story/tell-payment.ts';
import type { SaidDelivery } from '../../../../src/domain/story/untold-events.ts';
import { shortened } from '../../format/chains.ts';
import { localTime } from '../../format/time.ts';
import { SkeletonText } from '../../ui/skeleton.tsx';
import { useNow } from '../../ui/use-now.ts';
import styles from './payment.module.css';

interface PaymentSentenceProps {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[] | undefined;
  readonly deliveries: readonly SaidDelivery[] | undefined;
  readonly alsoPaidBy: readonly string[] | undefined;
  readonly destinations: ReadonlyMap<string, string> | null | undefined;
}

/** The payment in plain words, with running times, and advice on what to do. */
export function PaymentSentence({
  payment,
  events,
  deliveries,
  alsoPaidBy,
  destinations,
}: PaymentSentenceProps) {
  const now = useNow();
  if (
    events === undefined ||
    deliveries === undefined ||
    alsoPaidBy === undefined ||
    destinations === undefined
  )
    return (
      <div className={styles['sentence']}>
        <SkeletonText lines={2} />
      </div>
    );
  const clock = (instant: string): string => localTime(instant, now);
  const { story, toDo } = tellPayment({
    payment,
    events,
    deliveries,
    alsoPaidBy,
    destinations,
    now,
    clock,
  });
  return (
    <div className={styles['sentence']}>
      <p>{linked(story, alsoPaidBy)}</p>
      {toDo === null ? null : (
        <p className={styles['to-do']}>
          <strong>To do:</strong> {toDo}
        </p>
      )}
    </div>
  );
}

/** The words with a link in place of each of these quote ids. */
function linked(words: string, quoteIds: readonly string[]): ReactNode {
  const quoteId = quoteIds.find((each) => words.includes(each));
  if (quoteId === undefined) return words;
  const [before = '', ...after] = words.split(quoteId);
  return (
    <>
      {linked(before, quoteIds)}
      <Link to="/payments/$quoteId" params={{ quoteId }}>
        {shortened(quoteId)}
      </Link>
      {linked(after.join(quoteId), quoteIds)}
    </>
  );
}
