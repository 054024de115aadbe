import { pollBy } from './due-by.ts';
import type { Payment } from '../payment/payment.ts';
import type { StallRules } from '../payment/stall.ts';
import { isMoneyInFlight } from '../payment/status.ts';
import { earlyMs, overdueAfterMs, type UrgencyRules } from './urgency.ts';

/** Judged anew by then, whatever may have been overlooked. */
const LONGEST_MS = 3_600_000;

/**
 * Until when a look at the payment that finds its stored report again decides nothing else than this one did: such looks
 * need not even be judged. Null: the next look is to be judged. Pure.
 */
export function unchangedUntil(
  payment: Payment,
  now: Date,
  rules: UrgencyRules & StallRules,
  hintedAt: Date | null,
): Date | null {
  if (payment.tracking !== 'active' || payment.stalls.includes('provider_silent')) return null;
  const turns = isMoneyInFlight(payment.status)
    ? inFlightTurns(payment, now, rules)
    : awaitingTurns(payment, now, rules, hintedAt);
  if (turns === null) return null;
  const ahead = turns.filter((turn) => turn > now.getTime());
  return new Date(Math.min(...ahead, now.getTime() + LONGEST_MS));
}

/** When the next look, or a stall, changes by time alone; null while it changes all the time. */
function inFlightTurns(payment: Payment, now: Date, rules: UrgencyRules & StallRules): number[] | null {
  if (earlyMs(payment, now) > rules.inFlightMs) return null;
  const since = payment.progressAt.getTime();
  const stallAt = since + rules.stalledAfterMs;
  const isStallDue = !payment.stalls.includes('no_progress') && stallAt <= now.getTime();
  return isStallDue ? null : [stallAt, since + overdueAfterMs(payment, rules) + 1];
}

function awaitingTurns(
  payment: Payment,
  now: Date,
  rules: UrgencyRules,
  hintedAt: Date | null,
): number[] | null {
  const unattendedAt = (hintedAt ?? payment.createdAt).getTime() + rules.attendedMs;
  const by = pollBy(payment)?.getTime();
  if (by === undefined) return [unattendedAt];
  const nearAt = by - 2 * rules.pollIntervalMs;
  const isNear = nearAt <= now.getTime() && now.getTime() < by;
  return isNear ? null : [unattendedAt, nearAt];
}
