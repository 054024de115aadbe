import { readReport, type Report } from '../../src/domain/payment/report.ts';
import { applyPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim, Poll } from '../../src/ports/schedule.ts';
import type { Stores } from './stores.ts';
import { URGENCY_RULES } from './urgency-rules.ts';

/** Polling by the default settings. */
export const POLLING = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);

/** The poll result that this answer to the claim leads to. */
export function pollResult(claim: Claim, answer: StatusAnswer, now = new Date(), isCharged = true): Poll {
  return applyPoll(claim, answer, now, POLLING, isCharged);
}

/** The provider's report, given as text or as a value. */
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

/** Completes the payment, whose last poll finds nothing more. */
export async function closed(stores: Polling, quoteId: string): Promise<void> {
  await moved(stores, quoteId, 'COMPLETED');
  const inTwoDays = new Date(Date.now() + 172_800_000);
  await stores.schedule.record([pollResult(await claimed(stores, quoteId), says('COMPLETED'), inTwoDays)]);
}

/** Polls the payment, which the provider reports at this status. */
export async function moved(stores: Polling, quoteId: string, status: string): Promise<void> {
  await stores.schedule.record([pollResult(await claimed(stores, quoteId), says(status))]);
}
