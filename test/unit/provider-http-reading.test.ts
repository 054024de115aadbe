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
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { CHUNK_BYTES, readInChunks } from '../../src/platform/bounded-reading/socket-reading.ts';
import { ResponseHead, tidyHead } from '../../src/platform/bounded-reading/response-head.ts';
import { spokenHttp } from '../support/spoken-http.ts';

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
    ['99999999999999999999', 3_600_000],
    ['Fri Nov 20 12:00:30 2026', 30_000],
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

function linesOf(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

it('a provider that passes the conformance suite takes no more than 150 lines', () => {
  expect(linesOf('test/support/toy/toy-provider.ts')).toBeLessThanOrEqual(150);
});

/**
 * The bound on lines of the former providers and of Chainflip, whose states, limits and two ways to open a channel need their
 * own code; and on the sandbox's stories of proofs on chain.
 */
const MOST_LINES = 9_960;

it('all providers together, without their checks, stay within 9,960 lines: what they share stands once', () => {
  const files = readdirSync('src/providers', { recursive: true, encoding: 'utf8' });
  const lines = files
    .filter((file) => file.endsWith('.ts') && !/\bcheck(-list)?\b/.test(file))
    .map((file) => linesOf(join('src/providers', file)));
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_LINES);
});

const filled = (bytes: number): PassThrough => {
  const stream = new PassThrough({ highWaterMark: bytes + 1 });
  stream.write(Buffer.alloc(bytes, 'x'));
  return stream;
};

describe('readInChunks', () => {
  it('gives all that is there, at most a chunk at a time', () => {
    const stream = readInChunks(filled(2 * CHUNK_BYTES + 7));
    const lengths: number[] = [];
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) lengths.push(chunk.length);
    expect(lengths).toEqual([CHUNK_BYTES, CHUNK_BYTES, 7]);
  });

  it('gives the size that is asked for', () => {
    expect(readInChunks(filled(3 * CHUNK_BYTES)).read(2 * CHUNK_BYTES)).toHaveLength(2 * CHUNK_BYTES);
  });

  it('gives nothing more once it is destroyed', () => {
    const stream = readInChunks(filled(2 * CHUNK_BYTES));
    expect(stream.read()).toHaveLength(CHUNK_BYTES);
    stream.destroy();
    expect(stream.read()).toBeNull();
  });
});

function reading(...chunks: string[]): { text: string; interims: number } {
  let interims = 0;
  const head = new ResponseHead(() => (interims += 1));
  const text = chunks
    .map((chunk) => Buffer.from(chunk, 'latin1'))
    .map((chunk) => (head.passUsual(chunk) ? chunk : head.takeChunk(chunk)).toString('latin1'))
    .join('');
  return { text, interims };
}

const tidied = (...lines: string[]): string[] =>
  tidyHead(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'))
    .split('\r\n')
    .slice(1, -2);

describe('the head of a response', () => {
  it.each(spokenHttp('{}'))('is the same whatever bytes come at once: %s', (_name, bytes) => {
    const whole = reading(bytes);
    expect(whole.text).toMatch(/^HTTP\/1\.[01] 200 (?:OK)?\r\n(?:[A-Za-z0-9-]+: .+\r\n)*\r\n/);
    expect(reading(...bytes.split(''))).toEqual(whole);
    for (const at of [1, 7, 8, 20, 40]) expect(reading(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
  });

  it('is left as it is where it is as strict as it would be written, and has one length', () => {
    const usual = 'HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}';
    expect(reading(usual).text).toBe(usual);
    for (const odd of [
      'Transfer-Encoding: chunked',
      'Connection: close, upgrade',
      'Upgrade: h2c',
      'Trailer: x',
      'content-length: 2',
      'x : y',
      'x:y',
      'x: \u0001',
      'x: ü',
      ' folded',
    ])
      expect(reading(usual.replace('Date: now', odd)).text).not.toContain('OK');
    for (const bytes of ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n', 'HTTP/1.1 200 OK\r\nx: y\r\n\r\n'])
      expect(reading(bytes).text).not.toContain('OK');
  });

  it('is given once it is complete, and what follows it is left as it is', () => {
    expect(reading('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n')).toEqual({ text: '', interims: 0 });
    const body = '\r\nHTTP/1.1 100 Continue\r\n\r\n';
    const { text, interims } = reading(`HTTP/1.1 200 OK\r\n\r\n${body}`, body);
    expect(text).toBe(`HTTP/1.1 200 \r\n\r\n${body}${body}`);
    expect(interims).toBe(0);
  });

  it('is looked for anew in the next response', () => {
    let interims = 0;
    const head = new ResponseHead(() => (interims += 1));
    const answer = Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    for (let response = 0; response < 2; response += 1) {
      expect(head.takeChunk(answer).toString()).toBe('HTTP/1.1 204 \r\n\r\n');
      head.restart();
    }
    expect(interims).toBe(2);
    head.takeChunk(Buffer.from('HTTP/1.1 50'));
    head.restart();
    expect(head.takeChunk(answer).toString()).toBe('HTTP/1.1 204 \r\n\r\n');
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/2 200 OK\r\n'],
    ['http/1.1 200 OK\r\n'],
    ['HTTP/1.1 abc OK\r\n\r\n'],
    ['HTTP/1.1 099 OK\r\n\r\n'],
    ['HTTP/1.1 2000 OK\r\n\r\n'],
    ['HTTP/1.1 20 OK\r\n\r\n'],
    ['HTTP/1.1200 OK\r\n\r\n'],
  ])('is left to the parser where it is none: %j', (bytes) => {
    expect(reading(bytes).text).toBe(bytes);
  });
});

describe('a tidy head', () => {
  it('has the headers that are read, in lower case, and no others', () => {
    const lines = ['Date: x', 'Retry-After: 7', 'Connection: close', 'Keep-Alive: timeout=5', 'Upgrade: h2c'];
    expect(tidied(...lines)).toEqual(['connection: close', 'keep-alive: timeout=5', 'retry-after: 7']);
  });

  it('has each Retry-After, the first one first', () => {
    expect(tidied('retry-after: 7', 'x: y', 'retry-after: 9')).toEqual(['retry-after: 7', 'retry-after: 9']);
  });

  it('unfolds lines, and takes a fold of another header for none of this one', () => {
    expect(tidied('retry-after:', '\t7')).toEqual(['retry-after: 7']);
    expect(tidied('retry-after: Fri, 20 Nov 2026', '  12:00:30 GMT')).toEqual([
      'retry-after: Fri, 20 Nov 2026 12:00:30 GMT',
    ]);
    expect(tidied('retry-after: 7', 'x: y', ' 9')).toEqual(['retry-after: 7']);
    expect(tidied(' retry-after: 7')).toEqual([]);
  });

  it('has no control characters, and no name that is none', () => {
    expect(tidied('retry-after:\t 7\u0001\0', 'retry-after 9', ': 9')).toEqual(['retry-after: 7']);
  });

  it('keeps lengths that differ for the parser, which refuses them', () => {
    expect(tidied('content-length: 2, 2', 'content-length: 2')).toEqual(['content-length: 2']);
    expect(tidied('content-length: 2', 'content-length: 3')).toEqual([
      'content-length: 2',
      'content-length: 3',
    ]);
  });

  it('keeps a length that is empty for the parser, which refuses it', () => {
    expect(tidied('content-length:')).toEqual(['content-length: ']);
    expect(tidied('content-length: ,', 'content-length:')).toEqual(['content-length: ']);
  });

  it('takes chunks for more than a length, and the connection for used up then', () => {
    expect(tidied('content-length: 2', 'transfer-encoding: gzip', 'transfer-encoding: chunked')).toEqual([
      'transfer-encoding: gzip, chunked',
      'connection: close',
    ]);
    expect(tidied('transfer-encoding: chunked')).toEqual(['transfer-encoding: chunked']);
    expect(tidied('transfer-encoding: Identity', 'content-length: 2')).toEqual(['content-length: 2']);
  });
});
