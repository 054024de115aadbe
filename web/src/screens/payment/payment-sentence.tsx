import { sayPayment, type SaidEvent, type SaidPayment } from '../../payment-facts/say-payment.ts';
import type { SaidDelivery } from '../../payment-facts/say-untold.ts';
import { useNow } from '../../ui/use-now.ts';
import styles from './payment.module.css';

interface PaymentSentenceProps {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[] | undefined;
  readonly deliveries: readonly SaidDelivery[] | undefined;
  readonly endpoints: ReadonlyMap<string, string> | null | undefined;
}

/** The payment in plain words, with times that go on. */
export function PaymentSentence({ payment, events, deliveries, endpoints }: PaymentSentenceProps) {
  const now = useNow();
  if (events === undefined || deliveries === undefined || endpoints === undefined)
    return <p className={styles['sentence']}>&nbsp;</p>;
  return <p className={styles['sentence']}>{sayPayment({ payment, events, deliveries, endpoints, now })}</p>;
}
