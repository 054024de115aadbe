import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { fractionOf, fromUnits, isAmount, toUnits } from '../../src/domain/payment/amount.ts';
import { stampEvent } from '../../src/domain/event/stamp-event.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { readQuote } from '../../src/domain/payment/quote.ts';
import { isQuoteId, readInstant } from '../../src/domain/payment/reading.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { retryInMs } from '../../src/domain/event/retry-schedule.ts';
import { backoffMs, nextPoll } from '../../src/domain/polling/urgency.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const plain: Payment = newPayment(
  { quoteId: 'q', orderId: null, metadata: null, expiresAt: null, expectedMs: null },
  T0,
);

describe('an amount', () => {
  it.each(['1', '0.01', '25', '1000000.000001', '0.000000000000000001'])('may be %s', (text) => {
    expect(isAmount(text)).toBe(true);
  });

  it.each([
    '0',
    '0.0',
    '-1',
    '+1',
    '1e18',
    'NaN',
    'Infinity',
    '1,5',
    '',
    ' 1',
    '1 ',
    '.5',
    '1.',
    '01',
    '0x1',
    '1_000',
    '١',
    5,
    null,
    ['1'],
  ])('may not be %j', (value) => {
    expect(isAmount(value)).toBe(false);
  });

  it('goes to the smallest unit and back without losing a digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.integer({ min: 0, max: 30 }),
        (units, decimals) => {
          expect(toUnits(fromUnits(units, decimals), decimals)).toBe(units);
        },
      ),
    );
    expect(fromUnits(1n, 18)).toBe('0.000000000000000001');
    expect(fromUnits(25_000_000n, 6)).toBe('25');
    expect(fractionOf('1.250')).toBe('250');
  });
});

describe('tolerant reading', () => {
  it.each([
    [1_763_640_000, '2025-11-20T12:00:00.000Z'],
    [1_763_640_000_000, '2025-11-20T12:00:00.000Z'],
    ['1763640000', '2025-11-20T12:00:00.000Z'],
    ['2025-11-20T12:00:00Z', '2025-11-20T12:00:00.000Z'],
  ])('reads the instant %j', (value, iso) => {
    expect(readInstant(value)?.toISOString()).toBe(iso);
  });

  it.each([null, undefined, 0, -5, Number.NaN, 1e300, 'soon', {}, [], true])(
    'reads no instant in %j',
    (value) => {
      expect(readInstant(value)).toBeNull();
    },
  );

  it.each(['5af8532c-5bf4-45c2-b099-1b36e96e91a3', 'q_1', 'a.b:c~d'])('takes %s for an id', (id) => {
    expect(isQuoteId(id)).toBe(true);
  });

  it.each([
    "' OR 1=1 --",
    '../../etc/passwd',
    'a/b',
    'a\\b',
    '..',
    '',
    'a b',
    'a%2e',
    'é',
    'x'.repeat(129),
    5,
    null,
  ])('takes %j for no id', (id) => {
    expect(isQuoteId(id)).toBe(false);
  });

  it.each([null, 5, 'x', [], [{}], { success: false, error: 'no' }])('finds no report in %j', (value) => {
    expect(readReport(value, JSON.stringify(value))).toBeNull();
  });

  it('reads a quote by its id and deposit address alone', () => {
    const text = '{"quoteId":"q","send":{"depositAddress":"0x1"},"expiresIn":"300"}';
    expect(readQuote(JSON.parse(text), text)).toEqual({
      quoteId: 'q',
      depositAddress: '0x1',
      expiresIn: 300,
      expectedMs: null,
      text,
    });
    expect(readQuote({ quoteId: 'q', send: {} }, '')).toBeNull();
    expect(readQuote({ quoteId: '../q', send: { depositAddress: '0x1' } }, '')).toBeNull();
    expect(
      readQuote({ quoteId: 'q', send: { depositAddress: '0x1' }, expiresIn: -1 }, '')?.expiresIn,
    ).toBeNull();
  });
});

describe('an event', () => {
  it('is CloudEvents 1.0 JSON with the report spliced in byte for byte', () => {
    const report = '{"status":"EXECUTING","raw":123456789012345678901234567890.10}';
    const draft = {
      type: 'payment.executing',
      sequence: 2,
      status: 'EXECUTING',
      previousStatus: 'AWAITING_DEPOSIT',
      late: false,
      reportText: report,
    } as const;
    const event = stampEvent(draft, { ...plain, orderId: 'A-1', metadata: { shop: 'eu' } }, null, {
      id: 'e-1',
      source: 'paybell',
      time: T0,
    });
    expect(event.body).toContain(`"payment":${report}}}`);
    expect(JSON.parse(event.body)).toEqual({
      specversion: '1.0',
      id: 'e-1',
      source: 'paybell',
      type: 'payment.executing',
      subject: 'q',
      time: '2026-11-20T12:00:00.000Z',
      datacontenttype: 'application/json',
      data: {
        quoteId: 'q',
        orderId: 'A-1',
        metadata: { shop: 'eu' },
        sequence: 2,
        status: 'EXECUTING',
        previousStatus: 'AWAITING_DEPOSIT',
        late: false,
        payment: JSON.parse(report),
      },
    });
  });

  it('has no carriage returns from the report, which a stream could not carry, and else the same text', () => {
    const draft = {
      type: 'payment.executing',
      sequence: 2,
      status: 'EXECUTING',
      previousStatus: 'AWAITING_DEPOSIT',
      late: false,
      reportText: '{\r\n\t"a" : 1.10,\r"b":"\\r\\n"\n}\r\n',
    } as const;
    const { body } = stampEvent(draft, plain, null, { id: 'e-1', source: 'paybell', time: T0 });
    expect(body).toContain('"payment":{\n\t"a" : 1.10,\n"b":"\\r\\n"\n}\n}}');
    expect(JSON.parse(body)).toMatchObject({ data: { payment: { a: 1.1, b: '\r\n' } } });
  });
});

describe('the next poll', () => {
  const rules = {
    gapMs: 5_050,
    pollIntervalMs: 7000,
    inFlightMs: 5_050,
    attendedMs: 90_000,
    lateWatchMs: 86_400_000,
    watchFromMs: 30_000,
    watchUpToMs: 43_200_000,
  };
  const later = (ms: number): Date => new Date(T0.getTime() + ms);

  it('comes after the interval while the payment is open, and just after its expiry', () => {
    expect(nextPoll(plain, T0, rules).inMs).toBe(7000);
    expect(nextPoll({ ...plain, expiresAt: later(10_000) }, T0, rules).inMs).toBe(11_500);
    expect(nextPoll({ ...plain, expiresAt: later(3_000) }, T0, rules).inMs).toBe(7000);
  });

  it('grows by half in the late watch, up to 12 h, and ends with it', () => {
    const watched = { ...plain, tracking: 'watching', status: 'EXPIRED', endedAt: T0 } as const;
    expect(nextPoll(watched, T0, rules).inMs).toBe(30_000);
    expect(nextPoll(watched, later(30_000), rules).inMs).toBe(45_000);
    expect(nextPoll(watched, later(75_000), rules).inMs).toBe(67_500);
    expect(nextPoll(watched, later(80_000_000), rules).inMs).toBe(6_400_000);
    expect(nextPoll(watched, later(86_400_000), rules).inMs).toBeNull();
    expect(nextPoll(watched, T0, { ...rules, lateWatchMs: 0 }).inMs).toBeNull();
  });

  it('backs off from a payment that can not be read, up to a minute', () => {
    expect([1, 2, 3, 4, 5, 50].map((failures) => backoffMs(failures, rules))).toEqual([
      7000, 14_000, 28_000, 56_000, 60_000, 60_000,
    ]);
  });
});

describe('the retry schedule', () => {
  it('waits as listed, jittered by a tenth, honours Retry-After, and ends', () => {
    const schedule = [5000, 15_000];
    expect(retryInMs(schedule, 1, null, () => 0.5)).toBe(5000);
    expect(retryInMs(schedule, 1, null, () => 0)).toBe(4500);
    expect(retryInMs(schedule, 2, null, () => 1)).toBe(16_500);
    expect(retryInMs(schedule, 1, 60_000, () => 0.5)).toBe(60_000);
    expect(retryInMs(schedule, 3, null, () => 0.5)).toBeNull();
  });
});
