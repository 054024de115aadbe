import { afterEach, describe, expect, it } from '@jest/globals';

import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import { HostileProvider, stallMsOf } from '../support/hostile-provider.ts';
import { head, ScriptedProviders, statusOf, unavailable } from '../support/scripted-provider.ts';

const PAYMENTS = 13;
const BYTES = 200_000;
/** Of processor time; a tenth of that on a quiet machine. */
const STALL_MS = 150;
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
const UNREADABLE = unavailable('unreadable answer', 200);

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

describe('a provider that sends interim answers without end', () => {
  it('is unavailable after twenty of them, long before the deadline, and holds up nothing', async () => {
    const provider = providers.client(await start(EARLY_HINTS, EARLY_HINTS.repeat(1_000)));
    const answers: StatusAnswer[] = [];
    const startedAt = performance.now();
    const stallMs = await stallMsOf(async () => answers.push(await statusOf(provider)));
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    for (const answer of answers) expect(answer).toEqual(unavailable('unreadable answer'));
    expect(stallMs).toBeLessThan(STALL_MS);
  });

  it('is read when it comes to the point within twenty', async () => {
    const baseUrl = await start(EARLY_HINTS.repeat(20) + answerOf(reportWith('null')));
    expect(await statusOf(providers.client(baseUrl))).toMatchObject({ kind: 'report' });
  });
});

describe('a provider whose body comes in chunks of one byte', () => {
  it('is unavailable after a thousand of them, and holds up nothing', async () => {
    const chunks = '1\r\n \r\n'.repeat(4_096);
    const provider = providers.client(await start(head('200 OK', 'transfer-encoding: chunked'), chunks));
    const answers: StatusAnswer[] = [];
    const stallMs = await stallMsOf(async () => answers.push(await statusOf(provider)));
    for (const answer of answers) expect(answer).toEqual(UNREADABLE);
    expect(stallMs).toBeLessThan(STALL_MS);
  });

  it('is read when they have some length', async () => {
    const report = reportWith(JSON.stringify('x'.repeat(40_000)));
    const pieces = report.match(/.{1,20}/g) ?? [];
    const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
    const baseUrl = await start(`${head('200 OK', 'transfer-encoding: chunked')}${chunks.join('')}0\r\n\r\n`);
    expect(await statusOf(providers.client(baseUrl))).toMatchObject({ kind: 'report' });
  });
});

describe('a provider whose headers are many short lines', () => {
  const lines = 'a:\r\n'.repeat(16_000);
  const chunked = head('200 OK', 'transfer-encoding: chunked');
  const floods: [string, string, string][] = [
    ['headers', 'HTTP/1.1 200 OK\r\n', lines],
    ['headers that end', `HTTP/1.1 200 OK\r\n${lines.slice(0, 60_000)}content-length: 2\r\n\r\n{}`, ''],
    [
      'headers of interim answers',
      `HTTP/1.1 103 Early Hints\r\n${lines.slice(0, 32_000)}\r\n`.repeat(20),
      '',
    ],
    ['trailers', `${chunked}0\r\n`, lines],
    ['extensions of a chunk', chunked, `1;${'x'.repeat(60_000)}\r\na\r\n`],
  ];
  it.each(floods)('is unavailable at once, and holds up nothing: %s', async (_, first, flood) => {
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

  it('is read where it has as many as a usual one, again and again on one connection', async () => {
    const usual = Array.from({ length: 100 }, (_, index) => `x-${index}: ${'v'.repeat(80)}`);
    const body = reportWith('null');
    const answer = head('200 OK', ...usual, `content-length: ${body.length}`) + body;
    const provider = providers.client(await start(answer), { maxConcurrency: 1 });
    for (let times = 0; times < 5; times += 1)
      expect(await statusOf(provider)).toMatchObject({ kind: 'report' });
  });
});

describe('answers about many payments at once that are made to be slow to read', () => {
  const big = '1234567890123456789';
  const unreadable: [string, string][] = [
    ['nothing but open brackets', '['.repeat(BYTES)],
    ['65 levels', reportWith('['.repeat(64) + ']'.repeat(64))],
    ['an endless list of long numbers', reportWith(`[${`${big},`.repeat(BYTES / 20)}1]`)],
    ['the same key over and over', reportWith(`{${'"a":1,'.repeat(BYTES / 6)}"a":2}`)],
  ];
  it.each(unreadable)('are unreadable, and soon done with: %s', async (_, body) => {
    const provider = providers.client(await start(answerOf(body)), { maxConcurrency: PAYMENTS });
    let answers: StatusAnswer[] = [];
    const stallMs = await stallMsOf(async () => {
      answers = await Promise.all(Array.from({ length: PAYMENTS }, () => statusOf(provider)));
    });
    expect(answers).toEqual(Array.from({ length: PAYMENTS }, () => UNREADABLE));
    expect(stallMs).toBeLessThan(STALL_MS);
  });

  const long: [string, string][] = [
    ['a string of escapes beside a long number', `[${big},"${'\\"'.repeat(BYTES / 2)}"]`],
    ['a number', '9'.repeat(BYTES)],
  ];
  it.each(long)('are read where they are only long: %s', async (_, execution) => {
    const provider = providers.client(await start(answerOf(reportWith(execution))));
    expect(await statusOf(provider)).toMatchObject({ kind: 'report', report: { status: 'COMPLETED' } });
  });
});
