import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { fractionOf, fromUnits, isAmount, toUnits } from '../../src/domain/payment/amount.ts';
import { stampEvent } from '../../src/domain/event/stamp-event.ts';
import { readQuote } from '../../src/domain/payment/quote.ts';
import { isQuoteId, readInstant } from '../../src/domain/payment/reading.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { retryInMs } from '../../src/destinations/webhook/webhook-outcome.ts';
import { madePayment } from '../support/made-payment.ts';

const T0 = new Date('2026-11-20T12:00:00.000Z');
const plain = madePayment(T0);

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
    expect([fractionOf('25'), fractionOf('none')]).toEqual(['', '']);
    expect([toUnits('1.5', 6), toUnits('25', 0), toUnits('0.123456789', 6)]).toEqual([
      1_500_000n,
      25n,
      123_456n,
    ]);
    expect([fromUnits(1_500_000n, 6), fromUnits(0n, 6), fromUnits(100n, 0)]).toEqual(['1.5', '0', '100']);
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

  it.each([
    null,
    undefined,
    0,
    -5,
    Number.NaN,
    1e300,
    'soon',
    'soon Z',
    'Nov 20 2026 12:00:00 GMT+1',
    'May 2026-11-20',
    '1e9',
    'Nov 20 2026 12:00:00',
    '2026-11-20T12',
    '2026-11-20T12:00:0',
    ' 1763640000',
    '1763640000 ',
    {},
    [],
    true,
  ])('reads no instant in %j', (value) => {
    expect(readInstant(value)).toBeNull();
  });

  it.each([
    ['2026-11-20T12:00', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T12:00:30', '2026-11-20T12:00:30.000Z'],
    ['2026-11-20T12:00:30.25', '2026-11-20T12:00:30.250Z'],
    ['2026-11-20 12:00:30', '2026-11-20T12:00:30.000Z'],
  ])('reads %s as UTC', (value, iso) => {
    expect(readInstant(value)?.toISOString()).toBe(iso);
  });

  it.each([
    ['the first second', 1, '1970-01-01T00:00:01.000Z'],
    ['the last one that is read as seconds', 99_999_999_999, '5138-11-16T09:46:39.000Z'],
    ['the first one that is read as milliseconds', 100_000_000_000, '1973-03-03T09:46:40.000Z'],
    ['a day', '2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['an offset', '2026-11-20T12:00:00+02:00', '2026-11-20T10:00:00.000Z'],
    ['an offset without a colon', '2026-11-20T12:00:00-0200', '2026-11-20T14:00:00.000Z'],
    ['the form of HTTP', 'Fri, 20 Nov 2026 12:00:00 GMT', '2026-11-20T12:00:00.000Z'],
    ['one before 1970', '1969-12-31T23:59:59Z', undefined],
    ['the first of 1970', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['the last of 9999', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['one after 9999', 253_402_300_800_000, undefined],
    ['digits of no time', '99999999999999999', undefined],
  ])('reads %s', (_what, value, iso) => {
    expect(readInstant(value)?.toISOString()).toBe(iso);
  });

  it.each(['5af8532c-5bf4-45c2-b099-1b36e96e91a3', 'q_1', 'a.b:c~d', 'q', 'x'.repeat(128)])(
    'takes %s for an id',
    (id) => {
      expect(isQuoteId(id)).toBe(true);
    },
  );

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

  it.each([
    null,
    5,
    'x',
    [],
    [{}],
    { success: false, error: 'no' },
    { status: 'error' },
    { success: true, status: ' ' },
    { success: true, status: {} },
    { success: false, quoteId: 'q', status: 'weird' },
  ])('finds no report in %j', (value) => {
    expect(readReport(value, JSON.stringify(value))).toBeNull();
  });

  it.each(['weird', 'Completed', '__proto__', 'constructor', 'W\u001b[31m', 'a b'])(
    'reads the status %j of a success, and of an answer that names its quote',
    (status) => {
      for (const more of [{ success: true }, { quoteId: 'q' }])
        expect(readReport({ ...more, status }, '{}')?.status).toBe(status);
    },
  );

  it('cuts a status beyond 100 characters, also in the text that events carry', () => {
    const text = `{"success":true,"n":1.10,"status":"${'B'.repeat(100_000)}"}`;
    const report = readReport(JSON.parse(text), text);
    expect([report?.status, report?.text]).toEqual([
      'B'.repeat(100),
      `{"success":true,"n":1.10,"status":"${'B'.repeat(100)}"}`,
    ]);
  });

  it.each([
    [undefined, null],
    [null, null],
    ['q', 'q'],
    [5, ''],
  ])('reads the quote id %j as %j', (quoteId, read) => {
    expect(readReport({ status: 'EXECUTING', quoteId }, '')?.quoteId).toBe(read);
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
    expect(readQuote({ quoteId: 'q', send: { depositAddress: '' } }, '')).toBeNull();
    expect(readQuote({ quoteId: 'q', send: { depositAddress: 5 } }, '')).toBeNull();
    expect(readQuote({ quoteId: 'q', send: null }, '')).toBeNull();
    expect(readQuote(null, '')).toBeNull();
    expect(readQuote({ send: { depositAddress: '0x1' } }, '')).toBeNull();
    expect(readQuote({ quoteId: '../q', send: { depositAddress: '0x1' } }, '')).toBeNull();
    expect(
      readQuote({ quoteId: 'q', send: { depositAddress: '0x1' }, expiresIn: -1 }, '')?.expiresIn,
    ).toBeNull();
  });
});

describe('the expiry and the estimate of a quote', () => {
  const read = (more: Record<string, unknown>): (number | null | undefined)[] => {
    const quote = readQuote({ quoteId: 'q', send: { depositAddress: '0x1' }, ...more }, '');
    return [quote?.expiresIn, quote?.expectedMs];
  };

  it.each([
    [300, 300],
    ['300', 300],
    [0, 0],
    [0.5, 0.5],
    [366 * 86_400, 366 * 86_400],
    [366 * 86_400 + 1, null],
    ['x300', null],
    ['300s', null],
    ['0x10', null],
    ['', null],
    [Number.NaN, null],
    [null, null],
    [true, null],
  ])('take %j for %j seconds', (expiresIn, seconds) => {
    expect(read({ expiresIn })[0]).toBe(seconds);
  });

  it('are read from the fields of the quote', () => {
    expect(read({ expiresIn: 5, estimatedTime: '30s' })).toEqual([5, 30_000]);
  });
});

describe('the digests of a report', () => {
  const digestsOf = (fields: Record<string, unknown>): unknown => {
    const value = { status: 'EXECUTING', ...fields };
    return readReport(value, JSON.stringify(value))?.partDigests;
  };

  it('name the parts that the report names', () => {
    expect(digestsOf({})).toEqual({});
    expect(
      Object.keys(digestsOf({ deposit: 1, gas: 2, execution: 3, error: 4, other: 5 }) as object),
    ).toEqual(['deposit', 'gas', 'execution', 'error']);
  });

  it.each([[null], [''], [{}], [[]], [{ a: null, b: [] }]])('are empty for %j', (deposit) => {
    expect(digestsOf({ deposit })).toEqual({ deposit: '' });
  });

  it.each([[0], [false], ['x'], [{ a: 0 }], [[1]]])('are not empty for %j', (deposit) => {
    expect(digestsOf({ deposit })).toEqual({ deposit: expect.stringMatching(/^.{16}$/) });
  });

  it('are the same in any order of keys, on all levels, and another in another order of elements', () => {
    const one = { a: 1, b: [{ c: 2, d: 3, e: 4 }], f: 5 };
    const other = { f: 5, b: [{ e: 4, d: 3, c: 2 }], a: 1 };
    expect(digestsOf({ execution: one })).toEqual(digestsOf({ execution: other }));
    expect(digestsOf({ execution: [1, 2] })).not.toEqual(digestsOf({ execution: [2, 1] }));
  });

  it('take a report for the same only if its text is', () => {
    const [one, same, other] = ['{"a":1}', '{"a":1}', '{"a": 1}'].map(
      (text) => readReport({ status: 'X' }, text)?.digest,
    );
    expect(one).toBe(same);
    expect(one).not.toBe(other);
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
        provider: 'http',
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

  it('names the event that it follows, where numbers are missing in between', () => {
    const draft = {
      type: 'payment.updated',
      sequence: 101,
      previousSequence: 7,
      status: 'EXECUTING',
      previousStatus: 'EXECUTING',
      late: false,
      reportText: null,
    } as const;
    const { body } = stampEvent(draft, plain, null, { id: 'e-1', source: 'paybell', time: T0 });
    expect(JSON.parse(body)).toMatchObject({ data: { sequence: 101, previousSequence: 7 } });
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

describe('the retry schedule', () => {
  it('waits as listed, jittered by a tenth, honours Retry-After, and ends', () => {
    const schedule = [5000, 15_000];
    expect(retryInMs(schedule, 1, null, () => 0.5)).toBe(5000);
    expect(retryInMs(schedule, 1, null, () => 0)).toBe(4500);
    expect(retryInMs(schedule, 2, null, () => 1)).toBe(16_500);
    expect(retryInMs(schedule, 1, 60_000, () => 0.5)).toBe(60_000);
    expect(retryInMs(schedule, 1, 4_000, () => 0.5)).toBe(5000);
    expect(retryInMs(schedule, 1, 7 * 86_400_000, () => 0.5)).toBe(86_400_000);
    expect(retryInMs(schedule, 3, null, () => 0.5)).toBeNull();
    expect(retryInMs([5001], 1, null, () => 0.123)).toBe(4624);
    expect(retryInMs([0], 1, null, () => 0.5)).toBe(0);
  });
});
