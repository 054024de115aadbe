import { describe, expect, it } from '@jest/globals';

import { storyOf } from '../../src/providers/sandbox/stories.ts';
import { readOrder } from '../../src/providers/sandbox/sandbox-order.ts';
import { buildQuote } from '../../src/providers/sandbox/sandbox-quote.ts';
import { responseAt, type SandboxPayment } from '../../src/providers/sandbox/sandbox-status.ts';
import { autopayAt, expiryOf } from '../../src/providers/sandbox/story-phase.ts';
import { applyReport, openPayment } from '../../src/domain/payment/apply-report.ts';
import type { EventDraft } from '../../src/domain/event/event.ts';
import { newPayment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { NATIVE_ADDRESS } from '../../src/providers/sandbox/sandbox-tokens.ts';
import { readStories } from '../support/story-table.ts';

const CREATED_AT = new Date('2026-11-20T12:00:00.250Z');
const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const STALLED_AFTER_S = 900;
const SELDOM_S = 200;
/** Longer than any story. */
const UNTIL_S = 4_000;
const SPEEDS = [0.1, 1, 7.3, 50];
const STORIES = await readStories();

describe('a story of the sandbox, as docs/running/sandbox.md shows it', () => {
  it('is one of nine', () => {
    expect(new Set(STORIES.map(({ amount }) => storyOf(amount))).size).toBe(9);
  });

  const cases = STORIES.flatMap((story) => SPEEDS.map((speed) => ({ ...story, speed })));

  it.each(cases)(
    '$amount at speed $speed comes at the stated seconds',
    ({ amount, words, seconds, speed }) => {
      const published = poll(paymentOf(amount, speed), everyS(1));
      expect(published.words).toEqual(words);
      // Instants are whole milliseconds, of which there are fewer the faster it goes.
      const late = published.seconds.map((second, index) => second - (seconds[index] ?? 0));
      expect(late.filter((by) => by < 0 || by > 1)).toEqual([]);
    },
  );

  it.each(cases)(
    '$amount at speed $speed is reported whole, whenever and however seldom it is polled',
    (story) => {
      for (const everySeconds of [7, 61, 150, 600, 5_000])
        for (const offsetS of [0, 5.5, 33, 4_000]) {
          const { words, seconds } = poll(
            paymentOf(story.amount, story.speed),
            everyS(everySeconds, offsetS),
          );
          // So seldom a poll makes each stage long enough for a stall.
          const isExact = everySeconds < SELDOM_S;
          const own = isExact ? words : words.filter(isNoStall);
          const due = isExact ? story.words : story.words.filter(isNoStall);
          expect({ everySeconds, offsetS, published: own }).toEqual({
            everySeconds,
            offsetS,
            published: due,
          });
          expect(seconds.every((second, index) => second >= (story.seconds[index] ?? 0))).toBe(true);
        }
    },
  );

  it.each(STORIES)('$amount loses nothing of what was reported and not recorded', ({ amount, words }) => {
    let polls = 0;
    const published = poll(paymentOf(amount, 50), everyS(5), () => (polls += 1) % 3 === 0);
    expect(published.words).toEqual(words);
  });

  it('…05 is reported as one step from AWAITING_DEPOSIT to COMPLETED', () => {
    const { events } = poll(paymentOf('1.05', 1), everyS(7));
    expect(events.at(-1)).toMatchObject({ status: 'COMPLETED', previousStatus: 'AWAITING_DEPOSIT' });
  });

  it('…04 stalls and completes although nobody polled for an hour after the deposit', () => {
    const late = [0, 21, 4_000, 4_005, 5_000, 9_000, 11_000].values();
    const { words } = poll(paymentOf('1.04', 1), () => late.next().value ?? null);
    expect(words).toEqual(['created', 'deposit_received', 'executing', 'stalled no_progress', 'completed']);
  });

  it('…08 answers 500 for exactly 60 s, after the deposit was seen and before the completion', () => {
    const { downAt, failures } = poll(paymentOf('1.08', 1), everyS(1));
    expect(downAt).toEqual(Array.from({ length: 60 }, (_, index) => 40 + index));
    expect(failures).toBe(60);
    for (const speed of SPEEDS)
      expect(poll(paymentOf('1.08', speed), everyS(500)).failures).toBeGreaterThanOrEqual(1);
  });

  it.each(STORIES)('$amount says the same on a replica whose clock is behind', ({ amount, words }) => {
    let polls = 0;
    const published = poll(
      paymentOf(amount, 1),
      everyS(5),
      () => true,
      () => ((polls += 1) % 2) * -4,
    );
    expect(published.words).toEqual(words);
  });

  it.each(STORIES)('$amount is reported the same by any replica at the same time', ({ amount }) => {
    const stored = paymentOf(amount, 20);
    const reread = JSON.parse(JSON.stringify(stored.quote)) as SandboxPayment['quote'];
    for (let second = 0; second < 500; second += 7) {
      const there = responseAt({ ...stored, quote: reread }, after(second, 20));
      expect(there).toEqual(responseAt(stored, after(second, 20)));
    }
  });

  it.each(STORIES)('$amount of a quote from before this was kept goes by time alone', ({ amount }) => {
    const payment = { ...paymentOf(amount, 1), reportedStages: null };
    const isPaid = storyOf(amount) !== 'unpaid';
    expect(responseAt(payment, after(0, 1))).toMatchObject({ body: { status: 'AWAITING_DEPOSIT' } });
    const [end, reply] = [storyOf(amount), responseAt(payment, after(UNTIL_S, 1))];
    const last = end === 'fails' ? 'FAILED' : isPaid ? 'COMPLETED' : 'EXPIRED';
    expect(reply).toMatchObject({ newStage: null, body: { status: last } });
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
    reportedStages: {},
  };
}

/** Polls so often, in the sandbox's seconds, until every story is over. */
function everyS(seconds: number, offsetS = 0): () => number | null {
  let next = offsetS - seconds;
  const untilS = UNTIL_S + offsetS + 20 * seconds;
  return () => ((next += seconds) <= untilS ? next : null);
}

/** What the tracker makes of the payment when it is polled at these seconds of the sandbox's. */
function poll(
  payment: SandboxPayment,
  nextS: () => number | null,
  isRecorded: () => boolean = () => true,
  skewS: () => number = () => 0,
) {
  const rules = { stalledAfterMs: (STALLED_AFTER_S * 1_000) / payment.speed };
  const from = {
    quoteId: QUOTE_ID,
    provider: 'http',
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
  };
  const opened = openPayment(newPayment(from, CREATED_AT));
  const events = [...opened.events];
  const seconds = [0];
  const downAt: number[] = [];
  const reportedStages: Record<string, number> = {};
  let tracked = opened.payment;
  for (let second = nextS(); second !== null && tracked.tracking !== 'closed'; second = nextS()) {
    const now = after(second, payment.speed);
    const reportedAt = after(second + skewS(), payment.speed);
    const reply = responseAt({ ...payment, reportedStages }, reportedAt);
    if (reply.httpStatus === 500) downAt.push(second);
    if (!isRecorded()) continue;
    if (reply.newStage !== null) reportedStages[reply.newStage] ??= reportedAt.getTime();
    if (reply.httpStatus === 500) continue;
    const report = readReport(reply.body, JSON.stringify(reply.body));
    if (report === null) throw new Error('the sandbox answered something that is no report');
    const transition = applyReport(tracked, report, now, rules);
    tracked = transition.payment;
    events.push(...transition.events);
    seconds.push(...transition.events.map(() => second ?? 0));
  }
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
  return { events, seconds, downAt, failures: downAt.length, words: events.map(wordOf) };
}

function isNoStall(word: string): boolean {
  return !word.startsWith('stalled');
}

function wordOf(event: EventDraft): string {
  const word = event.type.replace('payment.', '');
  return [word, event.reason, event.late ? 'late' : undefined].filter((part) => part !== undefined).join(' ');
}

function after(seconds: number, speed: number): Date {
  return new Date(CREATED_AT.getTime() + (seconds * 1000) / speed);
}
