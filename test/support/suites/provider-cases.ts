import { readFileSync } from 'node:fs';

import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { applyReport, openPayment } from '../../../src/domain/transitions/apply-report.ts';
import { completedOutput } from '../../../src/domain/payment/completed-output.ts';
import { newPayment, type Payment } from '../../../src/domain/payment/payment.ts';
import type { Quote, QuoteRequest } from '../../../src/domain/payment/quote.ts';
import { misfitOf } from '../../../src/domain/payment/quote-misfit.ts';
import {
  type PaymentProvider,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../../src/ports/payment-provider.ts';
import { UnfitQuote } from '../../../src/ports/unfit-quote.ts';
import { CASES, RETRY_AFTER_S, SEEN, type Case, type Seen } from '../provider-cases/cases.ts';
import { PROVIDER_STAGES, type ProviderStage } from '../provider-stages.ts';
import { readAll } from './status-answers.ts';

type Json = Record<string, unknown>;

const RULES = { stalledAfterMs: 3_600_000 };
const TX_HASH = `0x${'5a'.repeat(32)}`;

/** A payment as the tracker keeps it, and the results of all its polls. */
class Followed {
  payment: Payment;
  answer: StatusAnswer | null = null;
  /** The text of the stored report. */
  private stored: string | null = null;
  readonly statuses: string[] = [];
  readonly anomalies: (string | undefined)[] = [];
  readonly matches: unknown[] = [];
  updates = 0;

  constructor(
    private readonly stage: ProviderStage,
    readonly quote: Quote,
    readonly request: QuoteRequest,
  ) {
    const { quoteId, expectedMs } = quote;
    const about = { quoteId, provider: 'http', orderId: null, metadata: null };
    const fields = { ...about, expiresAt: null, expectedMs, quoteText: quote.text };
    this.payment = openPayment(newPayment(fields, new Date())).payment;
  }

  /** The last report. */
  get report(): Json {
    return this.answer?.kind === 'report' ? (JSON.parse(this.answer.report.text) as Json) : {};
  }

  async poll(): Promise<void> {
    const [[, answer] = []] = await readAll(this.stage.provider, [this.quote.quoteId]);
    this.answer = answer ?? null;
    if (answer?.kind !== 'report') return;
    const made = applyReport(this.payment, answer.report, new Date(), RULES, {
      completedReport: this.stored,
    });
    const { payment, events, report } = made;
    this.stored = report?.text ?? this.stored;
    this.payment = payment;
    this.matches.push(payment.match);
    this.updates += events.filter(({ type }) => type === 'payment.updated').length;
    if (this.statuses.at(-1) !== payment.status) this.statuses.push(payment.status);
    this.anomalies.push(
      ...events.filter(({ type }) => type === 'payment.anomaly').map(({ reason }) => reason),
    );
  }
}

type Check = (followed: Followed, stage: ProviderStage) => unknown;

const ended =
  (statuses: readonly string[], more: Json = {}, ...anomalies: string[]): Check =>
  (followed) => {
    expect(followed.statuses.slice(-statuses.length)).toEqual(statuses);
    expect(followed.anomalies).toEqual(anomalies);
    expect(followed.report).toMatchObject(more);
  };

const REFUNDED = { error: expect.stringMatching(/^REFUNDED: /) };

/** A report that moves nothing: the former status stands, and the anomaly is reported once. */
const stands =
  (reason: string): Check =>
  async (followed) => {
    const before = followed.statuses.length;
    await followed.poll();
    expect(followed.anomalies).toEqual([reason]);
    expect(followed.statuses).toHaveLength(before);
    expect(followed.payment.status).not.toBe(followed.report['status']);
  };

const silent =
  (retryAfterMs: unknown): Check =>
  (followed) => {
    expect(followed.answer).toMatchObject({ kind: 'unavailable', retryAfterMs });
    expect(followed.statuses).toEqual(['AWAITING_DEPOSIT']);
  };

const hint =
  (isTaken: boolean): Check =>
  async ({ payment, quote }, { provider }) => {
    expect(payment.status).toBe('EXPIRED');
    expect(await provider.submitDeposit(quote.quoteId, TX_HASH)).toBe(isTaken);
  };

const memoIn = ({ quote }: Followed): string => {
  const { send } = JSON.parse(quote.text) as { send: { depositMemo: string } };
  expect(send.depositMemo).toMatch(/^\d+$/);
  return send.depositMemo;
};

const CHECKS: Readonly<Record<Exclude<Seen, 'notShown'>, Check>> = {
  completed: ended(['COMPLETED']),
  overpaid: ended(['COMPLETED'], {}, 'overpaid'),
  refunded: ended(['FAILED'], { ...REFUNDED, execution: { outputTxHash: null } }),
  underpaid: (followed, stage) => {
    expect(followed.matches).toContain('underpaid');
    return ended(['FAILED'], REFUNDED)(followed, stage);
  },
  deliveredShort: ended(['COMPLETED'], {}, 'underpaid', 'short_output'),
  contradicted: ended(['COMPLETED'], { execution: { completedBy: 'transaction' } }, 'contradictory_output'),
  byAmount: ended(['COMPLETED'], { execution: { completedBy: 'amount', outputTxHash: null } }),
  byWord: (followed, stage) => {
    expect(completedOutput(JSON.stringify(followed.report))).toMatchObject({ by: 'word' });
    return ended(['COMPLETED'])(followed, stage);
  },
  partly: ended(['COMPLETED'], {}, 'partly_refunded'),
  partlyShort: ({ statuses, anomalies }) => {
    expect(statuses.at(-1)).toBe('COMPLETED');
    // In one provider's case, the payment begins with too much.
    expect(anomalies.filter((reason) => reason !== 'overpaid')).toEqual(['partly_refunded', 'short_output']);
  },
  afterCompleted: async (followed) => {
    await followed.poll();
    expect(followed.statuses.at(-1)).toBe('COMPLETED');
    expect(followed.anomalies).toEqual(['changed_after_completed']);
  },
  unknownWord: stands('unknown_status'),
  timesAlone: async (followed) => {
    const { updates } = followed;
    for (let polls = 0; polls < 4; polls += 1) await followed.poll();
    expect(followed.updates - updates).toBeLessThanOrEqual(1);
    expect([followed.statuses.at(-1), followed.anomalies]).toEqual(['EXECUTING', []]);
  },
  otherAddress: async (followed) => {
    const before = followed.statuses.length;
    await followed.poll();
    expect(followed.anomalies).toEqual(['other_address']);
    expect(followed.statuses).toHaveLength(before);
  },
  lateCompleted: (followed) => {
    expect(followed.statuses).toContain('EXPIRED');
    expect(followed.payment).toMatchObject({ status: 'COMPLETED', late: true });
  },
  lateRefunded: (followed) => {
    expect(followed.statuses).toContain('EXPIRED');
    expect(followed.payment).toMatchObject({ status: 'FAILED', late: true });
    expect(followed.report).toMatchObject(REFUNDED);
  },
  hintTaken: hint(true),
  hintRefused: hint(false),
  memo: (followed) => void memoIn(followed),
  memoInCapitals: (followed) => {
    const { depositNote } = JSON.parse(followed.quote.text) as Json;
    expect(depositNote).toMatch(new RegExp(`^MEMO REQUIRED: ${memoIn(followed)} `));
  },
  othersGoOn: async (followed, stage) => {
    const { provider } = stage;
    const others = await Promise.all([1, 2].map(() => provider.createQuote(followed.request)));
    for (const other of others) await stage.pay(other);
    const ids = [followed.quote, ...others].map(({ quoteId }) => quoteId);
    const kinds = new Map((await readAll(provider, ids)).map(([id, { kind }]) => [id, kind]));
    expect(others.map(({ quoteId }) => kinds.get(quoteId))).toEqual(['report', 'report']);
    expect(kinds.get(followed.quote.quoteId)).toBe('unavailable');
    expect(followed.anomalies).toEqual([]);
  },
  askedLater: silent(RETRY_AFTER_S * 1_000),
  askedAgain: silent(null),
  askedAfterLock: silent(60_000),
  amountUnknown: ended(['DEPOSIT_RECEIVED'], { deposit: { amount: null, match: null } }),
  passedOn: ended(['EXECUTING'], { execution: { steps: null } }),
};

/** Requests a quote in the usual way. */
async function fitting(provider: PaymentProvider, request: QuoteRequest): Promise<Quote> {
  const quote = await provider.createQuote(request);
  const misfit = misfitOf(request, quote.text);
  if (misfit !== null) throw new UnfitQuote(misfit);
  return quote;
}

/** The shop's view of each case, by the table of docs/running/provider-cases.md. */
export function providerCases(name: string, request: QuoteRequest, subject: () => ProviderStage): void {
  describe('in a case of the table', () => {
    let stage: ProviderStage;
    let other: Quote;

    beforeAll(async () => {
      stage = subject();
      other = await stage.provider.createQuote(request);
    });

    afterEach(() => stage.calm());

    it.each(CASES)('shows a shop what the table says of: %s', async (about) => {
      const played: Case = stage.cases[about];
      if ('cannot' in played) return expect(played.cannot).toMatch(/\w{2}.* \w/);
      const { seen, request: change = {}, before, play } = played;
      await before?.(other);
      const asking = fitting(stage.provider, { ...request, ...change });
      if (seen === 'notShown') return expect(asking).rejects.toBeInstanceOf(ProviderUnavailable);
      const followed = new Followed(stage, await asking, request);
      await followed.poll();
      await play?.({ quote: followed.quote, poll: () => followed.poll() });
      await followed.poll();
      await CHECKS[seen](followed, stage);
    });

    it('is in the table of the docs, case by case', () => {
      if (name === 'toy') return expect(PROVIDER_STAGES.map((each) => each.name)).not.toContain(name);
      const page = readFileSync('docs/running/provider-cases.md', 'utf8');
      const rows = page.split('\n').filter((line) => line.startsWith('| '));
      const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());
      const head = rows.map(cells).find(([, first]) => first === 'what happens') ?? [];
      const column = head.indexOf(`\`${name}\``);
      const table = CASES.map((about) => rows.map(cells).find(([, first]) => first === about)?.[column]);
      const said = CASES.map((about) => {
        const played = stage.cases[about];
        return 'cannot' in played ? `– (${played.cannot})` : SEEN[played.seen];
      });
      expect(table).toEqual(said);
    });
  });
}
