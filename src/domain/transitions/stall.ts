import type { Verification } from '../proof/verification.ts';
import type { Payment, StallReason } from '../payment/payment.ts';
import { isFinal, isMoneyInFlight } from '../payment/status.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

export interface StallRules {
  readonly stalledAfterMs: number;
}

/** Makes one stall event when every poll since `silentSince` was without a usable answer for too long. */
export function applySilence(payment: Payment, silentSince: Date, now: Date, rules: StallRules): Transition {
  const isSilent = now.getTime() - silentSince.getTime() >= rules.stalledAfterMs;
  if (!isSilent || payment.tracking === 'closed' || isFinal(payment.status)) return unchanged(payment);
  return stall(unchanged(payment), 'provider_silent');
}

/** Makes one stall event when a payment has made no progress after the deposit for too long. */
export function applyStandstill(transition: Transition, now: Date, rules: StallRules): Transition {
  const { payment } = transition;
  const isStanding = now.getTime() - payment.progressAt.getTime() >= rules.stalledAfterMs;
  if (!isStanding || !isMoneyInFlight(payment.status)) return transition;
  return stall(transition, 'no_progress');
}

/** Adds one stall event, unless a stall with this reason is present already. `proof`: the chain's finding at this time. */
export function stall(
  transition: Transition,
  reason: StallReason,
  proof: { readonly verification?: Verification } = {},
): Transition {
  const { payment, events, report } = transition;
  if (payment.stalls.includes(reason)) return transition;
  const stalled: Payment = {
    ...numbered(payment),
    stalls: [...payment.stalls, reason],
  };
  const told = { reason, reportText: undefined, ...proof };
  const event = draftOf('payment.stalled', payment, stalled, told);
  return { payment: stalled, events: [...events, event], report };
}
