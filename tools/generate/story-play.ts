import { v5 as uuidv5 } from 'uuid';

import type { EventDraft } from '../../src/domain/event/event.ts';
import { COMPLETED_IDS, stampEvent } from '../../src/domain/event/stamp-event.ts';
import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { applySilence } from '../../src/domain/transitions/stall.ts';
import type { Verify } from '../../src/domain/proof/verification.ts';
import type { Transition } from '../../src/domain/transitions/transition.ts';
import { readOrder } from '../../src/providers/sandbox/sandbox-order.ts';
import { buildQuote } from '../../src/providers/sandbox/sandbox-quote.ts';
import { responseAt, type SandboxPayment } from '../../src/providers/sandbox/sandbox-status.ts';
import {
  DIGITS_OF_STORY,
  plotOf,
  STORIES_ON_CHAIN,
  type Story,
} from '../../src/providers/sandbox/stories.ts';
import { autopayAt, expiryOf } from '../../src/providers/sandbox/story-phase.ts';

const STALLED_AFTER_MS = 900_000;
/** The times of every story are multiples of this. */
export const EVERY_S = 5;
/** A minute after the expiry the shop passes on the payer's transaction. */
export const HINT_AT_S = 360;
/** The time of the latest deposit, and more than the plain story takes after it. */
const LONGEST_S = HINT_AT_S + 60;
const CREATED_AT = new Date('2026-11-20T12:00:00.000Z');
const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const REQUEST = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  amount: '25.5',
  recipient: '0x2000000000000000000000000000000000000026',
};

export const STORIES: readonly Story[] = [...DIGITS_OF_STORY.keys()].filter(
  (story) => !STORIES_ON_CHAIN.includes(story),
);

export interface PollOptions {
  /** False: the report is lost, and the next poll repeats it. */
  readonly isRecorded?: boolean;
  /** How far the clock of the replica that reports is off. */
  readonly skewS?: number;
}

/** The events that Paybell makes of a sandbox payment, polled at chosen seconds of the sandbox. Pure. */
export class StoryPlay {
  readonly events: EventDraft[] = [];
  /** The bodies in the form for webhooks. */
  readonly bodies: string[] = [];
  /** When each event came. */
  readonly seconds: number[] = [];
  /** When the service responded with 500. */
  readonly downAt: number[] = [];
  private readonly reportedStages: Record<string, number> = {};
  protected tracked: Payment;
  protected storedReport: string | null = null;
  private silentSince: Date | null = null;

  constructor(
    protected payment: SandboxPayment,
    metadata: Payment['metadata'] = null,
    private readonly verify: Verify = 'off',
  ) {
    const { quote, createdAt } = payment;
    const quoted = { depositAddress: quote.send.depositAddress, quoteText: JSON.stringify(quote) };
    const about = { quoteId: quote.quoteId, provider: 'sandbox', orderId: 'A-1001', metadata };
    const times = { expiresAt: payment.expiresAt, expectedMs: null };
    const opened = openPayment(newPayment({ ...about, ...times, ...quoted }, createdAt));
    this.tracked = opened.payment;
    this.keep(opened, 0);
  }

  poll(second: number, { isRecorded = true, skewS = 0 }: PollOptions = {}): void {
    const reportedAt = this.at(second + skewS);
    const reply = responseAt({ ...this.payment, reportedStages: this.reportedStages }, reportedAt);
    if (reply.httpStatus === 500) this.downAt.push(second);
    if (!isRecorded) return;
    if (reply.newStage !== null) this.reportedStages[reply.newStage] ??= reportedAt.getTime();
    const now = this.at(second);
    const { verify } = this;
    const rules = { stalledAfterMs: STALLED_AFTER_MS / this.payment.speed, verify };
    if (reply.httpStatus === 500) {
      this.silentSince ??= now;
      return this.keep(applySilence(this.tracked, this.silentSince, now, rules), second);
    }
    this.silentSince = null;
    const report = readReport(reply.body, JSON.stringify(reply.body));
    if (report === null) throw new Error('the sandbox answered something that is no report');
    this.keep(applyReport(this.tracked, report, now, rules, { completedReport: this.storedReport }), second);
  }

  /** Does the same as Paybell's deposit call. */
  hint(second: number): void {
    this.payment = { ...this.payment, story: 'plain', depositedAt: this.at(second) };
  }

  protected keep({ payment, events, report }: Transition, second: number): void {
    for (const draft of events) {
      const { quoteId } = payment;
      const id =
        draft.type === 'payment.completed'
          ? uuidv5(quoteId, COMPLETED_IDS)
          : uuidv5(String(draft.sequence), quoteId);
      const stamp = { id, source: 'paybell', time: this.at(second) };
      this.bodies.push(stampEvent(draft, payment, this.storedReport, stamp).body);
      this.events.push(draft);
      this.seconds.push(second);
    }
    this.tracked = payment;
    this.storedReport = report?.text ?? this.storedReport;
  }

  protected at(second: number): Date {
    return new Date(this.payment.createdAt.getTime() + (second * 1_000) / this.payment.speed);
  }
}

/** The story's last second: nothing happens later, if each stage is polled in time. */
export function endSecondOf(story: Story): number {
  return LONGEST_S + (plotOf(story).chapters.at(-1)?.afterMs ?? 0) / 1_000;
}

/** The events of a whole story, one a line. */
export function storyEvents(story: Story): string {
  const play = new StoryPlay(toldPayment(story), { story });
  for (let second = 0; second <= endSecondOf(story); second += EVERY_S) {
    if (story === 'unseen_deposit' && second === HINT_AT_S) play.hint(second);
    play.poll(second);
  }
  return play.bodies.map((body) => `${body}\n`).join('');
}

/** The payment of which the docs show the events. */
export function toldPayment(story: Story, speed = 1): SandboxPayment {
  return {
    quote: buildQuote(QUOTE_ID, readOrder(REQUEST), speed, story),
    story,
    speed,
    createdAt: CREATED_AT,
    expiresAt: expiryOf(CREATED_AT, speed),
    depositedAt: autopayAt(story, CREATED_AT, speed),
    reportedStages: {},
  };
}
