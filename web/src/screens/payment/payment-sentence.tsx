import { sayPayment, type SaidEvent, type SaidPayment } from '../../payment-facts/say-payment.ts';
import type { SaidDelivery } from '../../payment-facts/say-untold.ts';
import { useNow } from '../../ui/use-now.ts';
import styles from './payment.module.css';

interface PaymentSentenceProps {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[] | undefined;
  readonly deliveries: readonly SaidDelivery[] | undefined;
  readonly destinations: ReadonlyMap<string, string> | null | undefined;
}

/** The payment in plain words, with times that go on. */
export function PaymentSentence({ payment, events, deliveries, destinations }: PaymentSentenceProps) {
  const now = useNow();
  if (events === undefined || deliveries === undefined || destinations === undefined)
    return <p className={styles['sentence']}>&nbsp;</p>;
  return (
    <p className={styles['sentence']}>{sayPayment({ payment, events, deliveries, destinations, now })}</p>
  );
}
