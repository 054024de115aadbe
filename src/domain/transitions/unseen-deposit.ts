import type { UnseenDeposit } from '../proof/output.ts';
import { contradictionOf, isNewContradiction } from '../payment/contradictions.ts';
import type { Payment } from '../payment/payment.ts';
import { isPaid } from '../payment/status.ts';
import { contradictedBy, draftOf, unchanged, type Transition } from './transition.ts';

const REASON = 'deposit_unseen_by_provider';
/** The most deposits that are reported for one payment. */
const MOST_TOLD = 5;
/** A deposit of another token costs its sender next to nothing: places stay free for the requested token. */
const MOST_OF_OTHER_TOKENS = 2;
const PARTS_OF_OTHER_TOKEN = 3;

type Told = Pick<UnseenDeposit, 'txHash' | 'block' | 'token' | 'wrongToken'>;

/** Makes one anomaly for a deposit that the provider does not report. It never changes the status. */
export function applyUnseenDeposit(payment: Payment, deposit: UnseenDeposit): Transition {
  const contradiction = contradictionOf(REASON, detailOf(deposit));
  if (isPaid(payment.status) || !isNewContradiction(payment, contradiction)) return unchanged(payment);
  const told = payment.contradictions.filter((each) => each.startsWith(`${REASON}:`));
  const ofOthers = told.filter((each) => each.split(':').length === PARTS_OF_OTHER_TOKEN);
  const isOneTooMany = deposit.wrongToken && ofOthers.length >= MOST_OF_OTHER_TOKENS;
  if (told.length >= MOST_TOLD || isOneTooMany) return unchanged(payment);
  const marked = contradictedBy(payment, contradiction);
  const facts = { reason: REASON, reportText: undefined, deposit } as const;
  return { payment: marked, events: [draftOf('payment.anomaly', payment, marked, facts)], report: null };
}

/** Whether an event has reported this deposit, for a payment with these contradictions. */
export function isTold(contradictions: readonly string[], deposit: Told): boolean {
  return contradictions.includes(contradictionOf(REASON, detailOf(deposit)));
}

/** Whether an event has reported a deposit of this transaction, in any token. */
export function isTransactionTold(
  contradictions: readonly string[],
  deposit: Pick<Told, 'txHash' | 'block'>,
): boolean {
  const transaction = contradictionOf(REASON, placeOf(deposit));
  return contradictions.some((each) => each === transaction || each.startsWith(`${transaction}:`));
}

function detailOf(deposit: Told): string {
  return deposit.wrongToken ? `${placeOf(deposit)}:${deposit.token ?? 'native'}` : placeOf(deposit);
}

function placeOf({ txHash, block }: Pick<Told, 'txHash' | 'block'>): string {
  return txHash ?? `block ${block}`;
}
