import { choice, integer, seconds } from './kinds.ts';
import { ASKING, section } from './setting.ts';

const HOUR_MS = 3_600_000;
const YEAR_SECONDS = 366 * 86_400;

export const POLLING = section({
  heading: 'Polling',
  about: 'When a payment is polled: [tracking.md](../inside/tracking.md).',
  rows: {
    pollIntervalMs: integer('POLL_INTERVAL_MS', {
      default: 7_000,
      min: 100,
      max: HOUR_MS,
      agreed: ASKING,
      text: 'the time between two polls of an open payment; the provider recommends 5000 to 10000',
    }),
    pollMinGapMs: integer('POLL_MIN_GAP_MS', {
      default: 5_000,
      min: 0,
      max: HOUR_MS,
      agreed: ASKING,
      text: "the shortest time between two polls of one payment; only a refresh or a provider's notice goes below it",
    }),
    lateWatchMs: seconds('LATE_WATCH_SECONDS', {
      default: 86_400,
      min: 0,
      max: YEAR_SECONDS,
      agreed: ASKING,
      text: 'how long Paybell polls an expired or failed payment, at growing intervals',
    }),
    stalledAfterMs: seconds('STALLED_AFTER_SECONDS', {
      default: 900,
      min: 1,
      max: YEAR_SECONDS,
      agreed: ASKING,
      text: 'after this time without progress since the deposit, or without a usable answer, `payment.stalled` is sent',
    }),
  },
});

export const SUMS = section({
  heading: 'Sums',
  about: 'Deposits of another sum than asked for: [money.md](../using/money.md).',
  rows: {
    amountToleranceBps: integer('AMOUNT_TOLERANCE_BPS', {
      default: 100,
      min: 0,
      max: 5_000,
      agreed: ASKING,
      text: 'hundredths of a percent by which an `exact` deposit may differ from the sum asked for',
    }),
    underpaid: choice('UNDERPAID', ['complete', 'fail'], {
      default: 'complete',
      agreed: ASKING,
      text: 'the status of a payment that was paid short and delivered, or delivered in part: COMPLETED, after a `payment.anomaly`, or FAILED',
    }),
  },
});
