import { afterExpiry } from './due-by.ts';
import type { Payment } from '../payment/payment.ts';
import type { StallRules } from '../transitions/stall.ts';
import { noiseHeldUntil } from '../payment/report.ts';
import { isMoneyInFlight } from '../payment/status.ts';
import { earlyMs, overdueAfterMs, type UrgencyRules } from './urgency.ts';

/** The longest time until a report is judged again, to be safe. */
const LONGEST_MS = 3_600_000;

/**
 * Until when the judgement of a poll with the stored report would be the same as now, so that none is needed. Null: the next
 * poll must be judged. Pure.
 */
export function unchangedUntil(
  payment: Payment,
  now: Date,
  rules: UrgencyRules & StallRules,
  hintedAt: Date | null,
): Date | null {
  if (payment.tracking !== 'active' || payment.stalls.includes('provider_silent')) return null;
  const changesAt = isMoneyInFlight(payment.status)
    ? inFlightChanges(payment, now, rules)
    : awaitingChanges(payment, now, rules, hintedAt);
  if (changesAt === null) return null;
  const ahead = [...changesAt, noiseHeldUntil(payment.partDigests)].filter((at) => at > now.getTime());
  return new Date(Math.min(...ahead, now.getTime() + LONGEST_MS));
}

/** Whether storing that time saves the judgement of a poll that follows after `nextInMs`. */
export function sparesPolls(until: Date | null, now: Date, nextInMs: number): boolean {
  return until !== null && until.getTime() > now.getTime() + nextInMs;
}

/** The times at which the decision changes without a new report; null: it changes continuously. */
function inFlightChanges(payment: Payment, now: Date, rules: UrgencyRules & StallRules): number[] | null {
  if (earlyMs(payment, now) > rules.inFlightMs) return null;
  const since = payment.progressAt.getTime();
  const stallAt = since + rules.stalledAfterMs;
  const isStallDue = !payment.stalls.includes('no_progress') && stallAt <= now.getTime();
  return isStallDue ? null : [stallAt, since + overdueAfterMs(payment, rules) + 1];
}

function awaitingChanges(
  payment: Payment,
  now: Date,
  rules: UrgencyRules,
  hintedAt: Date | null,
): number[] | null {
  const unattendedAt = (hintedAt ?? payment.createdAt).getTime() + rules.attendedMs;
  const by = afterExpiry(payment)?.getTime();
  if (by === undefined) return [unattendedAt];
  const nearAt = by - 2 * rules.pollIntervalMs;
  const isNear = nearAt <= now.getTime() && now.getTime() < by;
  return isNear ? null : [unattendedAt, nearAt];
}
