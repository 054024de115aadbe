import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { numberIn, type Payment } from '../../src/domain/payment/payment.ts';
import type { Report } from '../../src/domain/payment/report.ts';
import { applySilence } from '../../src/domain/transitions/stall.ts';
import { STATUSES, type Status } from '../../src/domain/payment/status.ts';
import type { Transition } from '../../src/domain/transitions/transition.ts';
import { madePayment } from '../support/made-payment.ts';
import { reportOf } from '../support/poll-results.ts';

const RULES = { stalledAfterMs: 900_000 };
const T0 = new Date('2026-11-20T12:00:00.000Z');

const report = (fields: object): Report => reportOf({ success: true, quoteId: 'q-1', ...fields });

function opened(): Payment {
  const fields = { quoteId: 'q-1', orderId: 'A-1', expiresAt: new Date(T0.getTime() + 300_000) };
  return openPayment(madePayment(T0, fields)).payment;
}

function after(ms: number): Date {
  return new Date(T0.getTime() + ms);
}

/** Applies one report after another, a second apart, and collects the events. */
function walk(
  reports: Record<string, unknown>[],
  payment = opened(),
): { payment: Payment; published: string[] } {
  const published: string[] = [];
  let current = payment;
  let stored: string | null = null;
  reports.forEach((fields, index) => {
    const transition = applyReport(current, report(fields), after(1000 * (index + 1)), RULES, {
      completedReport: stored,
    });
    stored = transition.report?.text ?? stored;
    published.push(
      ...transition.events.map((event) =>
        [event.type, event.reason, event.late ? 'late' : undefined].filter(Boolean).join(' '),
      ),
    );
    current = transition.payment;
  });
  return { payment: current, published };
}

const at = (status: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  status,
  ...more,
});

describe('a payment on its way', () => {
  it('begins with payment.created, number 1, without a previous status and without a report', () => {
    const { payment, events } = openPayment(madePayment(T0));
    expect(events).toEqual([
      {
        type: 'payment.created',
        sequence: 1,
        status: 'AWAITING_DEPOSIT',
        previousStatus: null,
        late: false,
        reportText: null,
      },
    ]);
    expect(payment).toMatchObject({ sequence: 1, tracking: 'active' });
  });

  it.each<[what: string, words: string[], published: string[], payment: Partial<Payment>]>([
    [
      'records each status once, in order, and is still watched when completed',
      ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'COMPLETED'],
      ['payment.deposit_received', 'payment.executing', 'payment.completed'],
      { status: 'COMPLETED', tracking: 'watching', endedAt: after(5_000), sequence: 4, late: false },
    ],
    [
      'stays watched when it has expired',
      ['EXPIRED'],
      ['payment.expired'],
      { tracking: 'watching', endedAt: after(1000) },
    ],
    [
      'stays watched when it has failed',
      ['EXECUTING', 'FAILED'],
      ['payment.executing', 'payment.failed'],
      { tracking: 'watching' },
    ],
    [
      'records what comes late with late: true',
      ['EXPIRED', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'],
      [
        'payment.expired',
        'payment.deposit_received late',
        'payment.executing late',
        'payment.completed late',
      ],
      { late: true, tracking: 'watching' },
    ],
    [
      'lets an execution succeed after all, late',
      ['EXECUTING', 'FAILED', 'COMPLETED'],
      ['payment.executing', 'payment.failed', 'payment.completed late'],
      { late: true },
    ],
    [
      'moves nothing when it goes back, and is recorded once for each distinct contradiction',
      ['EXECUTING', 'DEPOSIT_RECEIVED', 'DEPOSIT_RECEIVED', 'AWAITING_DEPOSIT', 'EXECUTING'],
      ['payment.executing', 'payment.anomaly went_back', 'payment.anomaly went_back'],
      { status: 'EXECUTING' },
    ],
    [
      'does not take an expiry after the deposit for an end',
      ['DEPOSIT_RECEIVED', 'EXPIRED'],
      ['payment.deposit_received', 'payment.anomaly went_back'],
      { status: 'DEPOSIT_RECEIVED', tracking: 'active' },
    ],
  ])('%s', (_what, words, published, payment) => {
    const walked = walk(words.map((word) => at(word)));
    expect(walked.published).toEqual(published);
    expect(walked.payment).toMatchObject(payment);
  });

  it('tells once of a part that went back, before the completion that stands', () => {
    const partly = at('COMPLETED', { anomalies: ['partly_refunded'], execution: { outputTxHash: '0x1' } });
    const { payment, published } = walk([at('EXECUTING'), partly, partly]);
    expect(published).toEqual(['payment.executing', 'payment.anomaly partly_refunded', 'payment.completed']);
    expect(payment).toMatchObject({ status: 'COMPLETED', sequence: 4 });
  });

  it('invents no step that was passed between two polls: previousStatus says from where', () => {
    const transition = applyReport(opened(), report(at('COMPLETED')), after(1000), RULES);
    expect(transition.events).toEqual([
      expect.objectContaining({ type: 'payment.completed', previousStatus: 'AWAITING_DEPOSIT', sequence: 2 }),
    ]);
  });

  it('is never ended by its own clock: a report long after the expiry changes nothing by itself', () => {
    const transition = applyReport(opened(), report(at('AWAITING_DEPOSIT')), after(9_000_000), RULES);
    expect(transition.events).toEqual([]);
    expect(transition.payment.status).toBe('AWAITING_DEPOSIT');
  });
});

describe('a report that differs in something that matters', () => {
  const first = at('EXECUTING', {
    deposit: { txHash: '0x1' },
    gas: null,
    execution: { startedAt: 1, completedAt: null },
    error: null,
  });

  it.each([
    ['deposit', { deposit: { txHash: '0x2' } }],
    ['gas', { gas: { amount: '1' } }],
    ['execution', { execution: { startedAt: 1, completedAt: null, steps: [{ id: 1 }] } }],
    ['error', { error: 'slow' }],
  ])('records payment.updated when %s changes', (_part, change) => {
    expect(walk([first, { ...first, ...change }]).published).toEqual([
      'payment.executing',
      'payment.updated',
    ]);
  });

  describe('as noise at each poll', () => {
    const priced = (usd: number, more: Record<string, unknown> = {}): Record<string, unknown> => ({
      ...first,
      gas: { usd },
      ...more,
    });
    /** Polls at each of these times; returns the events as `[milliseconds, type, gas in the report]`. */
    function polls(
      reports: readonly (readonly [number, Record<string, unknown>])[],
      from = walk([first]).payment,
    ): { payment: Payment; told: unknown[]; text: string | null } {
      let payment = from;
      let text: string | null = null;
      const told: unknown[] = [];
      for (const [ms, fields] of reports) {
        const transition = applyReport(payment, report(fields), after(ms), RULES);
        payment = transition.payment;
        text = transition.report?.text ?? text;
        for (const { type, reportText } of transition.events)
          told.push([ms, type, (JSON.parse(reportText ?? '{}') as { gas?: unknown }).gas]);
      }
      return { payment, told, text };
    }
    const SLOW = { error: 'slow' };
    const updated = (ms: number, usd: number): unknown => [ms, 'payment.updated', { usd }];

    it('is told at most once a minute, and the newest report is kept', () => {
      const reports = Array.from({ length: 30 }, (_, poll) => [10_000 + 7_000 * poll, priced(poll)] as const);
      const { told, text } = polls(reports);
      expect(told).toEqual([
        updated(10_000, 0),
        updated(73_000, 9),
        updated(136_000, 18),
        updated(199_000, 27),
      ]);
      expect(JSON.parse(text ?? '')).toMatchObject({ gas: { usd: 29 } });
    });

    it('needs nothing written while the same report is held back', () => {
      const { payment } = polls([
        [10_000, priced(1)],
        [20_000, priced(2)],
      ]);
      const again = applyReport(payment, report(priced(2)), after(30_000), RULES);
      expect(again).toEqual({ payment, events: [], report: null });
    });

    it.each<[what: string, reports: [number, Record<string, unknown>][], told: unknown[]]>([
      [
        'is told when the minute is over, though the report is the same since',
        [
          [10_000, priced(1)],
          [20_000, priced(2)],
          [69_999, priced(2)],
          [70_000, priced(2)],
          [200_000, priced(2)],
        ],
        [updated(10_000, 1), updated(70_000, 2)],
      ],
      [
        'is told with the next real change, and not again after it',
        [
          [10_000, priced(1)],
          [20_000, priced(2)],
          [30_000, priced(3, SLOW)],
          [40_000, priced(3, SLOW)],
          [100_000, priced(3, SLOW)],
        ],
        [updated(10_000, 1), updated(30_000, 3)],
      ],
      [
        'is told with the next status',
        [
          [10_000, priced(1)],
          [20_000, priced(2)],
          [30_000, priced(3, { status: 'COMPLETED' })],
          [90_000, priced(3, { status: 'COMPLETED' })],
        ],
        [updated(10_000, 1), [30_000, 'payment.completed', { usd: 3 }]],
      ],
      [
        'is nothing to tell where it goes back to what was told',
        [
          [10_000, priced(1)],
          [20_000, priced(2)],
          [30_000, priced(1)],
          [100_000, priced(1)],
        ],
        [updated(10_000, 1)],
      ],
      [
        'is told at once after another change: only noise makes it wait',
        [
          [10_000, priced(1, SLOW)],
          [11_000, priced(2, SLOW)],
        ],
        [updated(10_000, 1), updated(11_000, 2)],
      ],
    ])('%s', (_what, reports, told) => {
      expect(polls(reports).told).toEqual(told);
    });

    it.each([{ deposit: { txHash: '0x2' } }, { execution: { steps: [{ id: 2 }] } }, SLOW])(
      'never makes a change of another part wait: %j',
      (part) => {
        const { told } = polls([
          [10_000, priced(1)],
          [11_000, priced(1, part)],
          [12_000, priced(2, part)],
        ]);
        expect(told).toEqual([updated(10_000, 1), updated(11_000, 1)]);
      },
    );

    it.each<[string, (at: number | string) => Record<string, unknown>]>([
      ['startedAt', (at) => ({ execution: { startedAt: at, completedAt: null } })],
      ['completedAt as text', (at) => ({ execution: { completedAt: String(at) } })],
      ['the time of a step', (at) => ({ execution: { steps: [{ type: 'fill', at }] } })],
      ['updated_at of the deposit', (at) => ({ deposit: { txHash: '0x1', updated_at: at } })],
      ['a timestamp of the deposit', (at) => ({ deposit: { timestamp: at } })],
    ])('has the times: %s', (_what, fields) => {
      const timed = (ms: number): readonly [number, Record<string, unknown>] => [
        ms,
        { ...first, ...fields(1_700_000_000 + ms) },
      ];
      const { told } = polls(
        [timed(10_000), timed(20_000), timed(30_000), timed(75_000)],
        walk([timed(0)[1]]).payment,
      );
      expect(told.map((each) => (each as unknown[]).slice(0, 2))).toEqual([
        [10_000, 'payment.updated'],
        [75_000, 'payment.updated'],
      ]);
    });

    it('has no times of a part that is missing', () => {
      const timed = { ...first, deposit: { txHash: '0x1', detectedAt: 1_700_000_000 } };
      const { deposit: _deposit, ...less } = { ...timed, execution: { startedAt: 1_700_000_009, steps: [] } };
      const whole = { ...less, deposit: timed.deposit };
      const from = walk([whole]).payment;
      const { told } = polls(
        [
          [70_000, less],
          [140_000, whole],
          [210_000, less],
        ],
        from,
      );
      expect(told).toEqual([]);
    });

    it('is progress where gas is reported for the first time', () => {
      const stalled = { ...walk([first]).payment, stalls: ['no_progress'] as const };
      expect(polls([[10_000, priced(1)]], stalled).payment).toMatchObject({
        progressAt: after(10_000),
        stalls: [],
      });
    });

    it('is no progress otherwise: the payment stalls, and stays so', () => {
      const { payment: executing } = walk([priced(0)]);
      const { told, payment } = polls(
        [
          [890_000, priced(1)],
          [901_000, priced(2)],
          [950_000, priced(3)],
        ],
        executing,
      );
      expect(told).toEqual([
        updated(890_000, 1),
        [901_000, 'payment.stalled', undefined],
        updated(950_000, 3),
      ]);
      expect(payment).toMatchObject({ progressAt: executing.progressAt, stalls: ['no_progress'] });
    });
  });

  it('says nothing of other fields, of the order of keys, or of a part that is left out, but keeps the new text', () => {
    const { execution: _left, ...without } = first;
    const { payment } = walk([first]);
    for (const fields of [
      { ...first, brandNew: 1 },
      { ...first, execution: { completedAt: null, startedAt: 1 } },
      without,
    ]) {
      const next = report(fields);
      const transition = applyReport(payment, next, after(5000), RULES);
      expect(transition.events).toEqual([]);
      expect(transition.report?.text).toBe(next.text);
    }
  });

  it('takes a first report without any progress as no change', () => {
    const published = walk([
      at('AWAITING_DEPOSIT', {
        deposit: null,
        gas: null,
        execution: { startedAt: null, completedAt: null, outputTxHash: null, steps: [] },
        error: null,
      }),
    ]);
    expect(published.published).toEqual([]);
    expect(published.payment.reportDigest).not.toBe('');
  });

  it('needs nothing written for the same text again', () => {
    const { payment } = walk([first]);
    const transition = applyReport(payment, report(first), after(2000), RULES);
    expect(transition).toEqual({ payment, events: [], report: null });
    expect(transition.payment).toBe(payment);
  });
});

describe('a provider that contradicts itself', () => {
  it('keeps the stored report when it goes back, and shows the contradicting one in the event', () => {
    const { payment } = walk([at('EXECUTING')]);
    const back = report(at('DEPOSIT_RECEIVED'));
    const transition = applyReport(payment, back, after(5000), RULES);
    expect(transition.report).toBeNull();
    expect(transition.events[0]).toMatchObject({
      status: 'EXECUTING',
      previousStatus: 'EXECUTING',
      reportText: back.text,
    });
  });

  it.each(['FAILED', 'EXPIRED', 'EXECUTING', 'AWAITING_DEPOSIT'])(
    'records %s after COMPLETED and stays completed',
    (word) => {
      const { payment, published } = walk([at('COMPLETED'), at(word)]);
      expect(published).toEqual(['payment.completed', 'payment.anomaly changed_after_completed']);
      expect(payment).toMatchObject({ status: 'COMPLETED', tracking: 'watching' });
    },
  );

  it.each(['REFUNDING', 'COMPLETED_2', 'ON_HOLD', 'X'])(
    'never ends a payment on the unknown word %j',
    (word) => {
      const { published } = walk([at('EXECUTING'), at(word), at('COMPLETED')]);
      expect(published).toEqual(['payment.executing', 'payment.anomaly unknown_status', 'payment.completed']);
    },
  );
});

describe('a report that names another deposit address', () => {
  const EVM = '0xAbCdEf0000000000000000000000000000000001';
  const quoted = (depositAddress: string | null): Payment => {
    const fresh = madePayment(T0, { quoteId: 'q-1', depositAddress });
    return { ...opened(), partDigests: fresh.partDigests };
  };

  it('moves nothing, is shown to nobody but in one anomaly, and the right one goes on', () => {
    const other = at('COMPLETED', { depositAddress: 'bc1qother' });
    const first = applyReport(quoted('bc1qown'), report(other), after(1_000), RULES);
    expect(first).toMatchObject({ report: null, payment: { status: 'AWAITING_DEPOSIT', reportDigest: '' } });
    expect(first.events).toMatchObject([
      { type: 'payment.anomaly', reason: 'other_address', status: 'AWAITING_DEPOSIT' },
    ]);
    const { published } = walk([other, at('EXECUTING', { depositAddress: 'bc1qown' })], first.payment);
    expect(published).toEqual(['payment.executing']);
  });

  it('is one whatever else it says, and each other address makes one', () => {
    const { payment, published } = walk(
      [
        at('EXECUTING', { depositAddress: 'bc1qown' }),
        at('EXECUTING', { depositAddress: 'bc1qother', deposit: { a: 1 } }),
        at('UNKNOWN', { depositAddress: 'bc1qother' }),
        at('COMPLETED', { depositAddress: 'BC1QOWN' }),
      ],
      quoted('bc1qown'),
    );
    expect(published).toEqual([
      'payment.executing',
      'payment.anomaly other_address',
      'payment.anomaly other_address',
    ]);
    expect(payment.contradictions).toEqual(['other_address:bc1qother', 'other_address:BC1QOWN']);
  });

  it.each([
    ['none', undefined, true],
    ['null', null, true],
    ['an empty text', '', true],
    ['the same one', EVM, true],
    ['the same one in other letter case', EVM.toLowerCase(), true],
    ['another one', EVM.replace('1', '2'), false],
    ['a number', 7, false],
    ['an object', { address: EVM }, false],
    ['a list', [EVM], false],
    ['false', false, false],
  ])('is one that names %s: %s', (_name, depositAddress, isOwn) => {
    const { payment, published } = walk([at('COMPLETED', { depositAddress })], quoted(EVM));
    expect([payment.status, published]).toEqual(
      isOwn ? ['COMPLETED', ['payment.completed']] : ['AWAITING_DEPOSIT', ['payment.anomaly other_address']],
    );
  });

  it('is judged by the address that was named first, where no quote names one', () => {
    const named = (depositAddress: unknown): Record<string, unknown> =>
      at('AWAITING_DEPOSIT', { depositAddress });
    expect(walk([named(7), named('bc1qown'), named('bc1qother')], quoted(null)).published).toEqual([
      'payment.anomaly other_address',
    ]);
    expect(walk([named('bc1qown'), at('COMPLETED'), named('bc1qown')], quoted(null)).published).toEqual([
      'payment.completed',
      'payment.anomaly changed_after_completed',
    ]);
    expect(
      walk([at('EXECUTING', { depositAddress: 'a' }), at('EXECUTING', { depositAddress: 'b' })]).published,
    ).toEqual(['payment.executing', 'payment.anomaly other_address']);
  });
});

describe('what a payment keeps', () => {
  const contradicted = (words: readonly string[]): Payment => walk(words.map((word) => at(word))).payment;

  it('is the expiry that it knows while a report has none, and the one of a report that has', () => {
    const known = opened().expiresAt;
    expect(walk([at('AWAITING_DEPOSIT')]).payment.expiresAt).toEqual(known);
    expect(walk([at('EXECUTING')]).payment.expiresAt).toEqual(known);
    const moved = { expiresAt: '2026-11-20T13:00:00.000Z' };
    for (const status of ['AWAITING_DEPOSIT', 'EXECUTING'])
      expect(walk([at(status, moved)]).payment.expiresAt).toEqual(new Date(moved.expiresAt));
  });

  it('is the time of the last change, and of the end while it is one', () => {
    const { payment } = walk([at('EXECUTING'), at('EXECUTING'), at('FAILED')]);
    expect(payment).toMatchObject({ progressAt: after(3_000), endedAt: after(3_000) });
    expect(walk([at('EXECUTING'), at('EXECUTING')]).payment).toMatchObject({
      progressAt: after(1_000),
      endedAt: null,
      tracking: 'active',
    });
    expect(walk([at('EXECUTING'), at('EXECUTING', { error: 'slow' })]).payment.progressAt).toEqual(
      after(2_000),
    );
    expect(walk([at('EXPIRED'), at('EXECUTING')]).payment).toMatchObject({
      endedAt: null,
      tracking: 'active',
    });
  });

  it('is late for good once something came after the end', () => {
    expect(walk([at('EXPIRED')]).payment.late).toBe(false);
    expect(walk([at('EXPIRED'), at('FAILED')]).payment.late).toBe(true);
    expect(walk([at('EXPIRED'), at('EXECUTING'), at('FAILED'), at('COMPLETED')]).payment.late).toBe(true);
  });

  it('is the first report even if it contradicts: a status request could not be answered without', () => {
    const first = report(at('REFUNDING'));
    const transition = applyReport(opened(), first, after(1_000), RULES);
    expect(transition.report).toBe(first);
    expect(transition.payment.reportDigest).toBe(first.digest);
    const next = applyReport(transition.payment, report(at('VOID')), after(2_000), RULES);
    expect(next.report).toBeNull();
    expect(next.payment.reportDigest).toBe(first.digest);
  });

  it('is fifty distinct contradictions, and no more', () => {
    const words = Array.from({ length: 52 }, (_, index) => `WORD_${index}`);
    const { payment, published } = walk([...words, 'WORD_0'].map((word) => at(word)));
    expect(published).toHaveLength(50);
    expect(payment.contradictions).toHaveLength(50);
    expect(payment.contradictions).toContain('unknown_status:WORD_0');
  });

  it('is 200 characters of a contradiction, without what a log or a database could not take', () => {
    expect(contradicted(['X'.repeat(500)]).contradictions).toEqual([`unknown_status:${'X'.repeat(100)}`]);
    const far = [
      at('EXECUTING', { depositAddress: '0x1' }),
      at('EXECUTING', { depositAddress: 'A'.repeat(500) }),
    ];
    expect(walk(far).payment.contradictions).toEqual([`other_address:${'A'.repeat(186)}`]);
    const elsewhere = [
      at('EXECUTING', { depositAddress: '0x1' }),
      at('EXECUTING', { depositAddress: 'A\u0000B\u0001C' }),
    ];
    expect(walk(elsewhere).payment.contradictions).toEqual(['other_address:A B C']);
    expect(contradicted(['EXECUTING', 'DEPOSIT_RECEIVED']).contradictions).toEqual([
      'went_back:EXECUTING>DEPOSIT_RECEIVED',
    ]);
    expect(contradicted(['COMPLETED', 'FAILED']).contradictions).toEqual(['changed_after_completed:FAILED']);
  });
});

describe('a stall', () => {
  it('is over with progress, and a silence with any answer', () => {
    const stalls = ['no_progress', 'provider_silent'] as const;
    const { payment } = walk([at('DEPOSIT_RECEIVED')]);
    const stalled = { ...payment, stalls };
    const stallsAfter = (fields: Record<string, unknown>): readonly string[] =>
      applyReport(stalled, report(fields), after(2_000), RULES).payment.stalls;
    expect(stallsAfter(at('DEPOSIT_RECEIVED'))).toEqual(['no_progress']);
    expect(stallsAfter(at('DEPOSIT_RECEIVED', { error: 'slow' }))).toEqual([]);
    expect(stallsAfter(at('EXECUTING'))).toEqual([]);
  });

  it('begins with the time that is given for it, not before', () => {
    const { payment } = walk([at('EXECUTING')]);
    const eventsAt = (ms: number): number =>
      applyReport(payment, report(at('EXECUTING')), after(ms), RULES).events.length;
    expect([eventsAt(900_999), eventsAt(901_000)]).toEqual([0, 1]);
  });

  it('is none once nobody looks at the payment any more', () => {
    const { payment } = walk([at('COMPLETED')]);
    expect(applySilence(payment, T0, after(9e6), RULES)).toEqual({ payment, events: [], report: null });
    expect(applyReport(payment, report(at('COMPLETED')), after(9e6), RULES).events).toEqual([]);
  });

  it('is recorded once when nothing moves after the deposit, and again only after progress', () => {
    let { payment } = walk([at('EXECUTING', { deposit: { a: 1 } })]);
    const published: string[] = [];
    const poll = (fields: Record<string, unknown>, ms: number): Transition => {
      const transition = applyReport(payment, report(fields), after(ms), RULES);
      published.push(...transition.events.map((event) => `${event.type} ${event.reason ?? ''}`.trim()));
      payment = transition.payment;
      return transition;
    };
    poll(at('EXECUTING', { deposit: { a: 1 } }), 900_000);
    poll(at('EXECUTING', { deposit: { a: 1 } }), 901_000);
    poll(at('EXECUTING', { deposit: { a: 1 } }), 2_000_000);
    poll(at('EXECUTING', { deposit: { a: 2 } }), 2_001_000);
    poll(at('EXECUTING', { deposit: { a: 2 } }), 2_901_000);
    expect(published).toEqual([
      'payment.stalled no_progress',
      'payment.updated',
      'payment.stalled no_progress',
    ]);
  });

  it('is recorded once when the provider stays silent, and again only after it answered', () => {
    let payment = opened();
    const silence = (ms: number): number => {
      const transition = applySilence(payment, T0, after(ms), RULES);
      payment = transition.payment;
      return transition.events.length;
    };
    expect([silence(899_999), silence(900_000), silence(950_000)]).toEqual([0, 1, 0]);
    payment = applyReport(payment, report(at('AWAITING_DEPOSIT')), after(960_000), RULES).payment;
    expect(payment.stalls).toEqual([]);
  });
});

/** The event that publishes a payment's state again: it is created once, and completed once. */
const STATE_EVENTS: Readonly<Record<Status, string>> = {
  AWAITING_DEPOSIT: 'payment.updated',
  DEPOSIT_RECEIVED: 'payment.deposit_received',
  EXECUTING: 'payment.executing',
  COMPLETED: 'payment.updated',
  FAILED: 'payment.failed',
  EXPIRED: 'payment.expired',
};

describe('after the database went back', () => {
  it.each(STATUSES)(
    'the first usable report of a payment at %s makes one event at least, whatever it says',
    (status) => {
      const { payment: stored } = walk([at(status)]);
      for (const word of [status, ...STATUSES, 'NEWS']) {
        const back = numberIn(7, stored);
        const { events, payment } = applyReport(back, report(at(word)), after(5_000), RULES);
        expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => 701 + index));
        expect(events.map(({ previousSequence }) => previousSequence)).toEqual(
          events.map((_event, index) => (index === 0 ? stored.sequence : undefined)),
        );
        expect(events.length).toBeGreaterThan(0);
        if (word === status) expect(events.map(({ type }) => type)).toEqual([STATE_EVENTS[status]]);
        // A payment has one completion: a stored completion is not recorded again.
        const completions = events.filter(({ type }) => type === 'payment.completed');
        expect(completions).toHaveLength(word === 'COMPLETED' && status !== 'COMPLETED' ? 1 : 0);
        expect(applyReport(payment, report(at(word)), after(6_000), RULES).events).toEqual([]);
      }
    },
  );
});

describe('whatever the provider says', () => {
  const words = fc.oneof(fc.constantFrom(...STATUSES), fc.constantFrom('REFUNDING', 'X'));

  it('numbers events 1, 2, 3 without a gap, completes at most once, and only moves as the table allows', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.integer({ min: 0, max: 3 })), { maxLength: 30 }), (reports) => {
        let payment = opened();
        const sequences = [1];
        const completed: Status[] = [];
        reports.forEach(([status, deposit], index) => {
          const before = payment;
          const transition = applyReport(
            payment,
            report({ status, deposit: { deposit } }),
            after(index * 1e6),
            RULES,
          );
          sequences.push(...transition.events.map((event) => event.sequence));
          completed.push(
            ...transition.events
              .filter((event) => event.type === 'payment.completed')
              .map((event) => event.status),
          );
          payment = transition.payment;
          if (before.status === 'COMPLETED') expect(payment.status).toBe('COMPLETED');
          if (before.late) expect(payment.late).toBe(true);
        });
        expect(sequences).toEqual(sequences.map((_, index) => index + 1));
        expect(payment.sequence).toBe(sequences.length);
        expect(completed.length).toBeLessThanOrEqual(1);
        expect(new Set(payment.contradictions).size).toBe(payment.contradictions.length);
      }),
    );
  });
});
