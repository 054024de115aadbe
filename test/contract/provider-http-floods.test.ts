import { afterEach, describe, expect, it } from '@jest/globals';

import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import { HostileProvider, stallMsOf } from '../support/hostile-provider.ts';
import { head, ScriptedProviders, statusOf } from '../support/scripted-provider.ts';

const PAYMENTS = 13;
const BYTES = 200_000;
/** A bound on processor time; a quiet machine needs a tenth of it. */
const STALL_MS = 150;
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';

const providers = new ScriptedProviders();
const hostile: HostileProvider[] = [];
afterEach(async () => {
  await providers.stop();
  await Promise.all(hostile.splice(0).map((each) => each.stop()));
});

async function start(first: string, flood = ''): Promise<string> {
  const provider = await HostileProvider.start(first, flood);
  hostile.push(provider);
  return provider.baseUrl;
}

function answerOf(body: string): string {
  return head('200 OK', `content-length: ${Buffer.byteLength(body)}`) + body;
}

function reportWith(execution: string): string {
  return `{"success":true,"quoteId":"quote-1","status":"COMPLETED","execution":${execution}}`;
}

const CHUNKED = head('200 OK', 'transfer-encoding: chunked');
const LINES = 'a:\r\n'.repeat(16_000);
const BIG = '1234567890123456789';

describe('a provider whose answer floods or is made to be slow to read', () => {
  it.each<[what: string, first: string, flood?: string]>([
    ['interim answers without end', EARLY_HINTS, EARLY_HINTS.repeat(1_000)],
    ['chunks of one byte', CHUNKED, '1\r\n \r\n'.repeat(4_096)],
    ['headers', 'HTTP/1.1 200 OK\r\n', LINES],
    ['headers that end', `HTTP/1.1 200 OK\r\n${LINES.slice(0, 60_000)}content-length: 2\r\n\r\n{}`],
    ['headers of interim answers', `HTTP/1.1 103 Early Hints\r\n${LINES.slice(0, 32_000)}\r\n`.repeat(20)],
    ['trailers', `${CHUNKED}0\r\n`, LINES],
    ['extensions of a chunk', CHUNKED, `1;${'x'.repeat(60_000)}\r\na\r\n`],
    ['nothing but open brackets', answerOf('['.repeat(BYTES))],
    ['65 levels', answerOf(reportWith('['.repeat(64) + ']'.repeat(64)))],
    ['an endless list of long numbers', answerOf(reportWith(`[${`${BIG},`.repeat(BYTES / 20)}1]`))],
    ['the same key over and over', answerOf(reportWith(`{${'"a":1,'.repeat(BYTES / 6)}"a":2}`))],
  ])('is unreadable at once, and holds up nothing: %s', async (...[_what, first, flood]) => {
    const provider = providers.client(await start(first, flood), { maxConcurrency: PAYMENTS });
    let answers: StatusAnswer[] = [];
    const startedAt = performance.now();
    const stallMs = await stallMsOf(async () => {
      answers = await Promise.all(Array.from({ length: PAYMENTS }, () => statusOf(provider)));
    });
    for (const answer of answers)
      expect(answer).toMatchObject({ kind: 'unavailable', reason: 'unreadable answer' });
    expect(performance.now() - startedAt).toBeLessThan(3 * 1_500);
    expect(stallMs).toBeLessThan(STALL_MS);
  });

  const pieces = reportWith(JSON.stringify('x'.repeat(40_000))).match(/.{1,20}/g) ?? [];
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const headers = Array.from({ length: 100 }, (_, index) => `x-${index}: ${'v'.repeat(80)}`);
  const body = reportWith('null');
  it.each([
    ['twenty interim answers', EARLY_HINTS.repeat(20) + answerOf(body)],
    ['chunks of some length', `${CHUNKED}${chunks.join('')}0\r\n\r\n`],
    ['many headers', head('200 OK', ...headers, `content-length: ${body.length}`) + body],
    ['escapes beside a long number', answerOf(reportWith(`[${BIG},"${'\\"'.repeat(BYTES / 2)}"]`))],
    ['a long number', answerOf(reportWith('9'.repeat(BYTES)))],
  ])('is read, again and again on one connection, where it has only %s', async (_what, answer) => {
    const provider = providers.client(await start(answer), { maxConcurrency: 1 });
    for (let times = 0; times < 5; times += 1)
      expect(await statusOf(provider)).toMatchObject({ kind: 'report', report: { status: 'COMPLETED' } });
  });
});
