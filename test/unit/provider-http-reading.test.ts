import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';

import { parseRefusal, parseStatusAnswer } from '../../src/providers/http/parse-answer.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import {
  parseJson,
  parseLongJson,
  parseQuoteJson,
} from '../../src/providers/connection/parse-provider-json.ts';
import { readResponse, unavailable } from '../../src/providers/connection/read-response.ts';
import { reasonOf } from '../../src/platform/outbound/exchange-reason.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const field = (name: unknown): string | null => parseRefusal(400, { field: name }, null).field;
const asDoubles = (_key: string, inner: unknown): unknown =>
  inner instanceof LosslessNumber ? Number(inner.value) : inner;
const json = (text: string): unknown => parseJson(Buffer.from(text))?.value;

describe('the words of a refusal', () => {
  it.each([
    ['detail', { detail: 'no', title: 'Bad Request', message: 'other' }],
    ['message', { message: 'no', statusCode: 400 }],
    ['a list of messages', { message: ['no', 'and no'], error: 'Bad Request' }],
    ['error as words', { success: false, error: 'no' }],
    ['error as an object', { error: { code: 7, message: 'no' } }],
    ['the first of errors', { errors: [{ field: 'amount', message: 'no' }, { message: 'other' }] }],
    ['errors as words', { errors: ['no', 'other'] }],
    ['details with places', { detail: [{ loc: ['body', 'amount'], msg: 'no' }] }],
    ['an empty message before the error', { message: ' ', error: 'no' }],
    ['a body that is only words', 'no'],
  ])('are found in %s', (_name, body) => {
    expect(parseRefusal(400, body, null).message).toBe('no');
  });

  it.each([
    [undefined],
    [null],
    [42],
    [{}],
    [{ error: true }],
    [{ message: { error: { error: { error: 'x' } } } }],
  ])('are our own where the provider has none: %j', (body) => {
    expect(parseRefusal(404, body, null).message).toBe('The payment provider refused this without a reason.');
  });

  it('are one printable line of at most 300 characters', () => {
    const { message } = parseRefusal(400, { message: `a\u0000b\r\nc\u202ed${'e'.repeat(400)}` }, null);
    expect(message).toMatch(/^a b c de+$/);
    expect(message).toHaveLength(300);
    expect(parseRefusal(400, { message: `${'x'.repeat(299)}\u{1f4a5}` }, null).message).toBe('x'.repeat(299));
  });

  it('hold no part of the key, not even where they are cut off', () => {
    const message = `${'x'.repeat(295)}secret-key`;
    expect(parseRefusal(400, { message }, 'secret-key').message).toBe(`${'x'.repeat(295)}***`);
  });

  it('name only a field that the quote request has', () => {
    expect([field('recipient'), field('__proto__'), field(7)]).toEqual(['recipient', null, null]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['99999999999999999999', 3_600_000],
    ['Fri Nov 20 12:00:30 2026', 30_000],
    ['soon', null],
    [undefined, null],
    [['3', '4'], null],
  ])('%j is %j ms, an hour at most', (retryAfter, retryAfterMs) => {
    const read = readResponse({ status: 503, retryAfter, body: Buffer.from('{}') }, parseJson, NOW);
    expect(read).toMatchObject({ retryAfterMs });
  });
});

describe('the reason for no answer', () => {
  it.each([
    ['ENOTFOUND', 'name not found'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate not trusted'],
    ['CERT_HAS_EXPIRED', 'certificate not trusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate not trusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate not trusted'],
    ['EHOSTUNREACH', 'no route'],
    ['constructor', 'connection failed'],
    ['EWHATEVER', 'connection failed'],
  ])('%s is "%s"', (code, reason) => {
    expect(reasonOf(Object.assign(new Error('10.1.2.3:443 key'), { code }))).toBe(reason);
  });

  it('is in no case what a foreign error says', () => {
    expect(reasonOf(new Error('10.1.2.3:443 key'))).toBe('connection failed');
    expect(reasonOf('10.1.2.3')).toBe('connection failed');
  });
});

describe('JSON that is read without loss', () => {
  it('means what JSON.parse says it means, but for the digits that this loses', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(json(text), asDoubles)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('keeps integers apart that a double would make one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 16n, max: 10n ** 40n }), (amount) => {
        expect(JSON.stringify(json(`{"a":${amount}}`))).not.toBe(
          JSON.stringify(json(`{"a":${amount + 1n}}`)),
        );
      }),
    );
  });

  it.each([
    '[0.12345678901234567890,1]',
    '{"a": -1e400}',
    '[1,\n 9007199254740993]',
    '[1.0000000000000000001E2]',
  ])('does not damage a number of %s', (text) => {
    expect(JSON.stringify(json(text))).toContain('isLosslessNumber');
  });

  it('reads times and the last of two equal keys as JSON.parse does', () => {
    expect(json('{"at":1795000300,"big":12345678901234567890,"a":1,"a":2}')).toMatchObject({
      at: 1_795_000_300,
      a: 2,
    });
  });

  it('drops a byte order mark, which is no part of the JSON', () => {
    expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ value: { a: 1 }, text: '{"a":1}' });
  });

  it('takes a quote of some thousand values, which are read twice when they may be inexact, and no longer one', () => {
    const quoteOf = (values: number): Buffer => Buffer.from(`[${Array(values).fill('1e1').join(',')}]`);
    expect(parseQuoteJson(quoteOf(4_000))).not.toBeNull();
    expect(parseQuoteJson(quoteOf(6_000))).toBeNull();
    expect(parseLongJson(quoteOf(6_000))).not.toBeNull();
  });

  it('does not let a key change what an object is', () => {
    const value = json('{"__proto__":{"status":"COMPLETED"},"n":12345678901234567890}') as {
      status?: string;
    };
    expect(value.status).toBeUndefined();
  });
});

describe('the parts of a report', () => {
  it('are parsed when somebody asks for their digests, and once', () => {
    let polls = 0;
    const value = {
      status: 'EXECUTING',
      get deposit() {
        polls += 1;
        return { txHash: '0x1' };
      },
    };
    const report = readReport(value, '{}');
    expect([report?.status, polls]).toEqual(['EXECUTING', 0]);
    expect([Object.keys(report?.partDigests ?? {}), report?.partDigests]).toEqual([
      ['deposit'],
      report?.partDigests,
    ]);
    expect(polls).toBe(1);
  });

  it.each([1_000, 2_000, 2_100, 4_000, 8_000, 60_000])(
    'that are nested %i levels deep are unreadable at once or not at all',
    (levels) => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const text = `{"status":"EXECUTING","deposit":${open.repeat(levels)}1${close.repeat(levels)}}`;
        const answer = parseStatusAnswer({
          kind: 'json',
          httpStatus: 200,
          value: JSON.parse(text),
          text,
          retryAfterMs: null,
        });
        const outcome = answer.kind === 'report' ? Object.keys(answer.report.partDigests) : answer;
        expect([['deposit'], unavailable('unreadable answer', 200)]).toContainEqual(outcome);
      }
    },
  );
});
