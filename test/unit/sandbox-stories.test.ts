import { describe, expect, it } from '@jest/globals';

import { readOrder } from '../../src/adapters/provider-sandbox/order.ts';
import { buildQuote } from '../../src/adapters/provider-sandbox/quote.ts';
import { replyAt, type SandboxPayment } from '../../src/adapters/provider-sandbox/status.ts';
import { autopayAt, expiryOf, storyOf } from '../../src/adapters/provider-sandbox/story.ts';
import { applyReport, openPayment } from '../../src/domain/apply-report.ts';
import type { EventDraft } from '../../src/domain/event.ts';
import { newPayment } from '../../src/domain/payment.ts';
import { readReport } from '../../src/domain/report.ts';
import { NATIVE_ADDRESS } from '../../src/adapters/provider-sandbox/tokens.ts';

const CREATED_AT = new Date('2026-11-20T12:00:00.250Z');
const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const STALLED_AFTER_MS = 900_000;
const POLL_EVERY_S = 7;

/** Each story: its amount, what a merchant must be told, and for how long the poller looks (at speed 1). */
const STORIES = [
  { amount: '1.50', told: ['executing', 'completed'], untilS: 400 },
  { amount: '1.01', told: ['executing', 'failed'], untilS: 400 },
  { amount: '1.02', told: ['expired'], untilS: 1_000 },
  { amount: '1.03', told: ['expired', 'executing late', 'completed late'], untilS: 500 },
  { amount: '1.04', told: ['executing', 'completed'], untilS: 3_700 },
  { amount: '1.05', told: ['completed'], untilS: 400 },
  { amount: '1.06', told: ['anomaly unknown_status', 'executing', 'completed'], untilS: 400 },
  { amount: '1.07', told: ['executing', 'anomaly went_back', 'completed'], untilS: 400 },
  { amount: '1.08', told: ['executing', 'completed'], untilS: 400 },
];

describe('a sandbox story as a merchant is told of it, polled every 7 s', () => {
  const cases = STORIES.flatMap(({ amount, told, untilS }) =>
    [1, 20, 0.5].map((speed) => ({ amount, told, untilS, speed })),
  );

  it.each(cases)('…$amount at speed $speed is $told, whenever the polling began', (story) => {
    for (let offsetS = 0; offsetS < POLL_EVERY_S; offsetS += 1) {
      const { words } = poll(paymentOf(story.amount, story.speed), offsetS, story.untilS);
      // Five seconds may pass between two polls; a stall is told of in a test of its own.
      const told = words.filter((word) => !/^(deposit_received|stalled)/.test(word));
      expect(told).toEqual(['created', ...story.told]);
    }
  });

  it.each(['1.50', '1.01', '1.03', '1.06', '1.07', '1.08'])(
    '…%s shows the deposit, before anything else of the execution, to a poll that falls into its five seconds',
    (amount) => {
      const { words } = poll(paymentOf(amount, 1), 3.5, 500);
      const deposit = words.findIndex((word) => word.startsWith('deposit_received'));
      expect(deposit).toBe(amount === '1.03' ? 2 : 1);
    },
  );

  it('…05 is told of as one step from AWAITING_DEPOSIT to COMPLETED', () => {
    for (let offsetS = 0; offsetS < POLL_EVERY_S; offsetS += 1) {
      const { events } = poll(paymentOf('1.05', 1), offsetS, 400);
      expect(events.at(-1)).toMatchObject({ status: 'COMPLETED', previousStatus: 'AWAITING_DEPOSIT' });
    }
  });

  it('…04 stalls at speed 1, once, and recovers', () => {
    const { words } = poll(paymentOf('1.04', 1), 0, 3_700);
    expect(words.filter((word) => !word.startsWith('deposit'))).toEqual([
      'created',
      'executing',
      'stalled no_progress',
      'completed',
    ]);
  });

  it('…08 answers 500 for exactly 60 s, after the deposit was seen and before the completion', () => {
    const payment = paymentOf('1.08', 1);
    const seconds = Array.from({ length: 200 }, (_, second) => second);
    const down = seconds.filter((second) => replyAt(payment, after(second, 1)).httpStatus === 500);
    expect(down).toEqual(Array.from({ length: 60 }, (_, index) => 40 + index));
    expect(statusOf(payment, 39)).toBe('EXECUTING');
    expect(statusOf(payment, 100)).toBe('EXECUTING');
    expect(poll(payment, 0, 200).failures).toBeGreaterThanOrEqual(8);
  });

  it.each(STORIES)('…$amount is told the same by any replica at the same time', ({ amount }) => {
    const stored = paymentOf(amount, 20);
    const reread = JSON.parse(JSON.stringify(stored.quote)) as SandboxPayment['quote'];
    for (let second = 0; second < 500; second += 7) {
      const there = replyAt({ ...stored, quote: reread }, after(second, 20));
      expect(there).toEqual(replyAt(stored, after(second, 20)));
    }
  });
});

describe('the last two fraction digits choose the story', () => {
  it.each([
    ['25.01', 'fails'],
    ['0.000002', 'unpaid'],
    ['25.103', 'late'],
    ['25.04', 'keeps_executing'],
    ['25.05', 'skips_ahead'],
    ['25.06', 'unknown_status'],
    ['25.07', 'goes_back'],
    ['25.08', 'outage'],
    ['25', 'plain'],
    ['101', 'plain'],
    ['25.1', 'plain'],
    ['25.010', 'plain'],
    ['25.09', 'plain'],
    ['1.0', 'plain'],
  ])('%s is %s', (amount, story) => {
    expect(storyOf(amount)).toBe(story);
  });
});

function paymentOf(amount: string, speed: number): SandboxPayment {
  const request = {
    fromChainId: 8453,
    toChainId: 42161,
    fromToken: NATIVE_ADDRESS,
    toToken: NATIVE_ADDRESS,
    amount,
    recipient: `0x${'12'.repeat(20)}`,
  };
  const story = storyOf(amount);
  return {
    quote: buildQuote(QUOTE_ID, readOrder(request), speed),
    story,
    speed,
    createdAt: CREATED_AT,
    expiresAt: expiryOf(CREATED_AT, speed),
    depositedAt: autopayAt(story, CREATED_AT, speed),
  };
}

/** What the tracker makes of the payment: polls every 7 s, divided by the speed like all else. */
function poll(payment: SandboxPayment, offsetS: number, untilS: number) {
  const from = { quoteId: QUOTE_ID, orderId: null, metadata: null, expiresAt: null, expectedMs: null };
  const opened = openPayment(newPayment(from, CREATED_AT));
  const events = [...opened.events];
  let tracked = opened.payment;
  let failures = 0;
  for (let second = offsetS; second <= untilS && tracked.tracking !== 'closed'; second += POLL_EVERY_S) {
    const now = after(second, payment.speed);
    const reply = replyAt(payment, now);
    if (reply.httpStatus === 500) {
      failures += 1;
      continue;
    }
    const report = readReport(reply.body, JSON.stringify(reply.body));
    if (report === null) throw new Error('the sandbox answered something that is no report');
    const verdict = applyReport(tracked, report, now, { stalledAfterMs: STALLED_AFTER_MS });
    tracked = verdict.payment;
    events.push(...verdict.events);
  }
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
  return { events, failures, words: events.map(wordOf) };
}

function wordOf(event: EventDraft): string {
  const word = event.type.replace('payment.', '');
  return [word, event.reason, event.late ? 'late' : undefined].filter((part) => part !== undefined).join(' ');
}

function statusOf(payment: SandboxPayment, second: number): unknown {
  const reply = replyAt(payment, after(second, payment.speed));
  return reply.httpStatus === 200 ? reply.body['status'] : 500;
}

function after(seconds: number, speed: number): Date {
  return new Date(CREATED_AT.getTime() + (seconds * 1000) / speed);
}
