import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ConflictException, HttpException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';

import { InvalidField } from '../../src/platform/http/invalid-field.ts';
import { problemOf } from '../../src/platform/http/problem.ts';
import { codeOfStatus, PROBLEMS } from '../../src/platform/http/problems.ts';
import { ProviderNotAsked, ProviderRefused, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { StoreBusy } from '../../src/ports/store-busy.ts';

const ROOT = join(import.meta.dirname, '../..');
const LINE = /^- ((?:`\w+`(?:, )?)+) (\d{3}(?:, \d{3})*)(?: \((\d+) s\))?: /;

function documented(): { code: string; status: number; retryAfterSeconds: number | undefined }[] {
  const lines = readFileSync(join(ROOT, 'docs/using/errors.md'), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, codes = '', statuses = '', seconds] = LINE.exec(line) ?? [];
    const retryAfterSeconds = seconds === undefined ? undefined : Number(seconds);
    return [...codes.matchAll(/\w+/g)].flatMap(([code]) =>
      [...statuses.matchAll(/\d+/g)].map(([status]) => ({ code, status: Number(status), retryAfterSeconds })),
    );
  });
}

/**
 * The codes of error classes in the features, the ports, the providers and the HTTP layer, all of which an answer may have.
 */
function raised(): string[] {
  const folders = ['features', 'ports', 'providers', 'platform/http'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(ROOT, 'src', folder, file)),
  );
  const codes = files.flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/readonly code = '([a-z_]+)'/g)),
  );
  return codes.map((match) => match[1] ?? '');
}

describe('the table of problems', () => {
  it('says the same as docs/using/errors.md, in the same order', () => {
    const table = [...PROBLEMS].flatMap(([code, { status, statuses = [status], retryAfterSeconds }]) =>
      statuses.map((each) => ({ code, status: each, retryAfterSeconds })),
    );
    expect(documented()).toEqual(table);
  });

  it('lets each code come with the statuses of docs/using/errors.md, and with no other', () => {
    const all = Array.from({ length: 200 }, (_none, index) => 400 + index);
    for (const code of PROBLEMS.keys()) {
      const errors = [{}, ...all.map((httpStatus) => ({ httpStatus }))].map((own) =>
        Object.assign(new Error('x'), { code, ...own }),
      );
      const statuses = new Set(errors.map((error) => problemOf(error, '/', null).status));
      const published = documented().filter((row) => row.code === code);
      expect([code, [...statuses].sort((a, b) => a - b)]).toEqual([
        code,
        published.map(({ status }) => status),
      ]);
    }
  });

  it('knows every code that an error of ours carries', () => {
    const codes = raised();
    expect(codes.length).toBeGreaterThan(8);
    expect(codes.filter((code) => !PROBLEMS.has(code))).toEqual([]);
  });

  it('never sends the message of a 5xx', () => {
    const bare = [...PROBLEMS].filter(([, kind]) => kind.status >= 500 && kind.detail === undefined);
    expect(bare).toEqual([]);
  });

  it('has a row for whatever status a framework error has', () => {
    for (let status = 400; status < 600; status += 1) expect(PROBLEMS.has(codeOfStatus(status))).toBe(true);
  });
});

describe('a problem', () => {
  it('has the members of RFC 9457 and ours', () => {
    const error = new InvalidField('amount', 'must be a decimal', {
      field: 'recipient',
      message: 'is missing',
    });
    expect(problemOf(error, '/api/quote', 'r-1').body).toEqual({
      type: 'urn:paybell:problem:invalid_request',
      title: 'The request is not valid',
      status: 400,
      detail: 'amount must be a decimal',
      instance: '/api/quote',
      success: false,
      error: 'amount must be a decimal',
      code: 'invalid_request',
      errors: [
        { field: 'amount', message: 'must be a decimal' },
        { field: 'recipient', message: 'is missing' },
      ],
      requestId: 'r-1',
    });
  });

  it.each([400, 404, 422] as const)(
    "keeps the provider's own %i, its message and its field",
    (httpStatus) => {
      const problem = problemOf(new ProviderRefused(httpStatus, 'amount too low', 'amount'), '/', null);
      expect(problem.status).toBe(httpStatus);
      expect(problem.body).toMatchObject({
        status: httpStatus,
        code: 'provider_refused',
        detail: 'amount too low',
        errors: [{ field: 'amount', message: 'amount too low' }],
      });
    },
  );

  it('says that the provider was not asked, why and until when, where Paybell itself is busy', () => {
    const { body, headers } = problemOf(new ProviderNotAsked('busy, since all is taken', 2_100), '/', null);
    const detail = 'The payment provider was not asked: busy, since all is taken. Try again in 3 s.';
    expect(body).toMatchObject({ code: 'provider_unavailable', detail, error: detail });
    expect(headers['retry-after']).toBe('3');
    expect(problemOf(new ProviderNotAsked('it fails', null), '/', null).body['detail']).toMatch(
      /Try again later\.$/,
    );
  });

  it("passes on the provider's Retry-After in whole seconds, or says its own", () => {
    const published = problemOf(new ProviderUnavailable('HTTP 429', 12_300), '/', null);
    const own = problemOf(new ProviderUnavailable('timeout'), '/', null);
    expect([published.status, published.headers['retry-after']]).toEqual([503, '13']);
    expect([own.status, own.headers['retry-after']]).toEqual([503, '5']);
    expect(JSON.stringify(published.body)).not.toContain('429');
  });

  it.each([
    [new StoreUnavailable(), '5', /^The database does not answer/],
    [
      new StoreUnavailable({ reason: '53300 too many connections' }),
      '5',
      /: 53300 too many connections\. Try/,
    ],
    [new StoreBusy(), '2', /^The service is busy.*database is well/],
  ])('says when to come back, and that a change may have been stored: %s', (error, after, words) => {
    const [read, change] = [false, true].map((isChange) => problemOf(error, '/', null, isChange));
    expect([read?.status, read?.headers['retry-after']]).toEqual([503, after]);
    expect(read?.body['detail']).toMatch(words);
    expect(change?.body['detail']).toBe(
      `${String(read?.body['detail'])} The change may have been stored: read it before you repeat it.`,
    );
  });

  it.each([
    Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('duplicate key value in SELECT secret'), { code: '23505' }),
    new HttpException('secret of the view', 500),
    new TypeError('x is not a function'),
    'a thrown string',
    null,
    undefined,
  ])('is `internal` and says nothing of %p', (error) => {
    const { status, body } = problemOf(error, '/api/quote', 'r-1');
    expect(status).toBe(500);
    expect(body).toEqual({
      type: 'urn:paybell:problem:internal',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong here. The log has the reason under this requestId.',
      instance: '/api/quote',
      success: false,
      error: 'Something went wrong here. The log has the reason under this requestId.',
      code: 'internal',
      requestId: 'r-1',
    });
  });

  it("has the table's status also for framework errors without a row of their own", () => {
    expect(problemOf(new ConflictException('x'), '/', null)).toMatchObject({
      code: 'invalid_request',
      status: 400,
    });
    expect(problemOf(new NotFoundException('Cannot GET /?key=1'), '/', null).body['detail']).not.toContain(
      'key',
    );
  });

  it('says how to authenticate with a 401', () => {
    const error = Object.assign(new Error('no key'), { code: 'unauthorized' });
    expect(problemOf(error, '/', null).headers['www-authenticate']).toBe('Bearer realm="paybell"');
  });
});
