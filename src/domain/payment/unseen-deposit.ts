import type { UnseenDeposit } from '../proof/output.ts';
import { contradictionOf, isNewContradiction } from './contradictions.ts';
import type { Payment } from './payment.ts';
import { isPaid } from './status.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** Makes one anomaly of a deposit that the provider does not report. It never changes the status. */
export function applyUnseenDeposit(payment: Payment, deposit: UnseenDeposit): Transition {
  const contradiction = contradictionOf('deposit_unseen_by_provider', deposit.txHash);
  if (isPaid(payment.status) || !isNewContradiction(payment, contradiction)) return unchanged(payment);
  const marked: Payment = {
    ...numbered(payment),
    contradictions: [...payment.contradictions, contradiction],
  };
  const told = { reason: 'deposit_unseen_by_provider', reportText: undefined, deposit } as const;
  return { payment: marked, events: [draftOf('payment.anomaly', payment, marked, told)], report: null };
}
