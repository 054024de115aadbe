import { applyReport } from '../../src/domain/payment/apply-report.ts';
import { readReport, type Report } from '../../src/domain/payment/report.ts';
import { applySilence } from '../../src/domain/payment/stall.ts';
import { backoffMs, closeWhenDone, nextPoll } from '../../src/domain/polling/urgency.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim, Poll } from '../../src/ports/schedule.ts';
import { URGENCY_RULES, type Stores } from './stores.ts';

const RULES = { urgency: URGENCY_RULES, stalledAfterMs: 900_000 };

/**
 * The result of a poll, for tests of stores that record one: what the feature `polling` makes of an answer, by the rules
 * of the domain alone, so that these tests do not depend on the feature. `polling-queues.test.ts` holds both together.
 */
export function pollResult(claim: Claim, answer: StatusAnswer, now = new Date(), isCharged = true): Poll {
  if (answer.kind === 'report' && isAbout(claim, answer.report)) return reported(claim, answer.report, now);
  return silent(claim, now, isCharged);
}

/** What the provider says, by its text or what that is of. */
export function reportOf(said: object | string): Report {
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const report = readReport(JSON.parse(text), text);
  if (report === null) throw new Error(`not a report: ${text}`);
  return report;
}

/** An answer with this status. */
export function says(status: string, more: object = {}): Extract<StatusAnswer, { kind: 'report' }> {
  return { kind: 'report', report: reportOf({ status, ...more }) };
}

type Polling = Pick<Stores, 'schedule'>;

/** The payment, to be polled now by this replica. */
export async function claimed({ schedule }: Polling, quoteId: string): Promise<Claim> {
  const claim = await schedule.claimNow(quoteId, 0, 6_000);
  if (typeof claim === 'string') throw new Error(`no claim: ${claim}`);
  return claim;
}

/** Polls the payment, which has this status. */
export async function moved(stores: Polling, quoteId: string, status: string): Promise<void> {
  await stores.schedule.record([pollResult(await claimed(stores, quoteId), says(status))]);
}

function isAbout({ payment }: Claim, { quoteId }: Report): boolean {
  return quoteId === null || quoteId === payment.quoteId;
}

function reported(claim: Claim, report: Report, now: Date): Poll {
  const transition = applyReport(claim.payment, report, now, RULES);
  const next = nextPoll(transition.payment, now, RULES.urgency, claim.hintedAt);
  const payment = closeWhenDone(transition.payment, next);
  return {
    claim,
    ...transition,
    payment,
    next,
    judgedAt: now,
    isSilent: false,
    isCharged: false,
    askedAgoMs: 0,
  };
}

/** Of a payment that is still polled, without a Retry-After. */
function silent(claim: Claim, now: Date, isCharged: boolean): Poll {
  const transition = applySilence(claim.payment, claim.silentSince ?? now, now, RULES);
  const { inMs, urgency } = nextPoll(claim.payment, now, RULES.urgency, claim.hintedAt);
  if (inMs === null) throw new Error(`${claim.quoteId} is no longer polled`);
  const backoff = isCharged ? backoffMs(claim.failures + 1, RULES.urgency) : 0;
  const next = { inMs: Math.max(inMs, backoff), urgency };
  return { claim, ...transition, next, judgedAt: now, isSilent: true, isCharged, askedAgoMs: 0 };
}
