import type { SaidEvent, SaidPayment } from '../../../../src/domain/story/standing.ts';
import { tellPayment } from '../../../../src/domain/story/tell-payment.ts';
import type { SaidDelivery } from '../../../../src/domain/story/untold-events.ts';
import { localTime } from '../../format/time.ts';
import { SkeletonText } from '../../ui/skeleton.tsx';
import { useNow } from '../../ui/use-now.ts';
import styles from './payment.module.css';

interface PaymentSentenceProps {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[] | undefined;
  readonly deliveries: readonly SaidDelivery[] | undefined;
  readonly destinations: ReadonlyMap<string, string> | null | undefined;
}

/** The payment in plain words, with running times, and advice on what to do. */
export function PaymentSentence({ payment, events, deliveries, destinations }: PaymentSentenceProps) {
  const now = useNow();
  if (events === undefined || deliveries === undefined || destinations === undefined)
    return (
      <div className={styles['sentence']}>
        <SkeletonText lines={2} />
      </div>
    );
  const clock = (instant: string): string => localTime(instant, now);
  const { story, toDo } = tellPayment({ payment, events, deliveries, destinations, now, clock });
  return (
    <div className={styles['sentence']}>
      <p>{story}</p>
      {toDo === null ? null : (
        <p className={styles['to-do']}>
          <strong>To do:</strong> {toDo}
        </p>
      )}
    </div>
  );
}
