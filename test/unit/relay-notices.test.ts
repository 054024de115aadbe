import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { NoticeSignature } from '../../src/providers/relay/notices/notice-signature.ts';
import { parseChangedRequest, parseNotice } from '../../src/providers/relay/notices/relay-hint.ts';
import { RelayNoticeController } from '../../src/providers/relay/notices/relay-notice.controller.ts';
import { RelayNotices } from '../../src/providers/relay/notices/relay-notices.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { ShellApp } from '../support/shell-app.ts';

const KEY = 'relay-key-of-today';
const PREVIOUS_KEY = 'relay-key-of-yesterday';
const PATH = '/provider/relay/webhook';
const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const REQUEST_ID = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const MINUTE_MS = 60_000;

const clock = new FakeClock();
let meter = new FakeMeter();
let published: string[] = [];
let asked: unknown[] = [];
let isStoreDown = false;

const store = {
  quoteIdsOf: (keys: { requestIds: readonly string[]; addresses: readonly string[] }): Promise<string[]> => {
    asked.push(keys);
    if (isStoreDown) return Promise.reject(new StoreUnavailable());
    return Promise.resolve(keys.requestIds.includes(REQUEST_ID) ? [QUOTE_ID] : []);
  },
};
const pollRequests = { makeDue: (quoteIds: readonly string[]): void => void published.push(...quoteIds) };

let app: ShellApp;
let current: RelayNotices;
beforeAll(async () => {
  const notices = { take: (...words: Parameters<RelayNotices['take']>) => current.take(...words) };
  app = await ShellApp.start([RelayNoticeController], [{ provide: RelayNotices, useValue: notices }]);
});
afterAll(() => app.stop());
beforeEach(() => {
  meter = new FakeMeter();
  published = [];
  asked = [];
  isStoreDown = false;
  current = new RelayNotices([KEY, PREVIOUS_KEY], store, pollRequests, meter, clock);
});

function notice(data: Record<string, unknown> = {}): string {
  return JSON.stringify({
    event: 'request.status.updated',
    timestamp: clock.now().getTime(),
    data: {
      status: 'pending',
      inTxHashes: ['0x1'],
      txHashes: [],
      updatedAt: clock.now().getTime(),
      originChainId: 8453,
      destinationChainId: 42161,
      depositAddress: {
        address: ADDRESS,
        depositAddressType: 'strict',
        depositor: null,
        depositTxHash: null,
      },
      requestId: REQUEST_ID,
      referrer: null,
      details: null,
      failReason: 'N/A',
      refundFailReason: 'N/A',
      ...data,
    },
  });
}

const inMs = (offsetMs = 0): string => String(clock.now().getTime() + offsetMs);
const inSeconds = (): string => String(Math.floor(clock.now().getTime() / 1_000));

function signed(body: string | Buffer, timestamp = inMs(), key = KEY): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
  return {
    'content-type': 'application/json',
    'X-Signature-Timestamp': timestamp,
    'X-Signature-SHA256': signature,
  };
}

/** Sends a notice without an API key of ours. */
async function send(body: string | Buffer, headers: Record<string, string>): Promise<[number, unknown]> {
  const response = await fetch(`${app.url}${PATH}`, { method: 'POST', body, headers });
  const text = await response.text();
  return [response.status, text === '' ? null : JSON.parse(text)];
}

const TAKEN = [200, { success: true }];

describe('a notice of Relay', () => {
  it('has its payment polled now', async () => {
    expect(await send(notice(), signed(notice()))).toEqual(TAKEN);
    expect([published, meter.notices]).toEqual([[QUOTE_ID], ['accepted']]);
    expect(asked).toEqual([expect.objectContaining({ requestIds: [REQUEST_ID], addresses: [ADDRESS] })]);
  });

  it('is taken with a time in seconds or in milliseconds, and with either key', async () => {
    for (const timestamp of [inMs(), inSeconds()])
      for (const key of [KEY, PREVIOUS_KEY]) {
        current = new RelayNotices([KEY, PREVIOUS_KEY], store, pollRequests, meter, clock);
        expect(await send(notice(), signed(notice(), timestamp, key))).toEqual(TAKEN);
      }
    expect(published).toEqual(Array.from({ length: 4 }, () => QUOTE_ID));
  });

  it('is judged by its bytes, however its JSON is written and whatever type it is sent as', async () => {
    const spread = JSON.stringify(JSON.parse(notice()), null, 4).replace('"pending"', '"p\\u0065nding"');
    expect(await send(spread, { ...signed(spread), 'content-type': 'text/plain' })).toEqual(TAKEN);
    expect(meter.notices).toEqual(['accepted']);
    expect(await send(notice(), signed(spread))).toEqual([
      401,
      expect.objectContaining({ code: 'invalid_signature' }),
    ]);
  });

  it('is read also where it begins with a mark of its byte order', async () => {
    const body = `\ufeff${notice()}`;
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect([published, meter.notices]).toEqual([[QUOTE_ID], ['accepted']]);
  });

  it('that comes again, from Relay or by a replay, is taken and costs nothing more', async () => {
    const body = notice();
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect(await send(body, signed(body, inMs(1_000)))).toEqual(TAKEN);
    expect([published, meter.notices, asked.length]).toEqual([
      [QUOTE_ID],
      ['accepted', 'duplicate', 'duplicate'],
      1,
    ]);
  });

  it('about another status, time or request is no duplicate', async () => {
    const bodies = [
      notice(),
      notice({ status: 'success' }),
      notice({ updatedAt: clock.now().getTime() + 1 }),
      notice({ status: 'a word of next year' }),
      notice({ status: null, updatedAt: null }),
      notice({ status: null, updatedAt: null }),
    ];
    for (const body of bodies) expect(await send(body, signed(body))).toEqual(TAKEN);
    expect(published).toHaveLength(bodies.length);
  });

  it('that is old, or goes back, is taken like any other: it is only a reason to poll', async () => {
    const body = notice({ status: 'waiting', updatedAt: clock.now().getTime() - 60 * MINUTE_MS });
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect(published).toEqual([QUOTE_ID]);
  });

  it('about no payment of ours is taken and counted', async () => {
    const body = notice({ requestId: '0xother', depositAddress: null });
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect([published, meter.notices]).toEqual([[], ['unknown']]);
  });

  it.each([
    ['no JSON', '{"data":'],
    ['nothing', ''],
    ['no object', '[1,2]'],
    ['no data', '{"event":"request.status.updated"}'],
    ['no request', '{"data":{"status":"success"}}'],
    ['a request that is no id', '{"data":{"requestId":{"a":1},"depositAddress":{"address":["b"]}}}'],
    ['an id that no database takes', '{"data":{"requestId":"a\\u0000b"}}'],
    ['an id without an end', `{"data":{"requestId":"${'a'.repeat(5_000)}"}}`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00])],
    ['deep nesting', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ])('that is signed and says %s is taken and counted as unreadable', async (_what, body) => {
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect([published, asked, meter.notices]).toEqual([[], [], ['unreadable']]);
  });

  it('comes again while the database is away, and then counts', async () => {
    isStoreDown = true;
    const body = notice();
    expect(await send(body, signed(body))).toEqual([
      503,
      expect.objectContaining({ code: 'database_unavailable' }),
    ]);
    isStoreDown = false;
    expect(await send(body, signed(body))).toEqual(TAKEN);
    expect([published, meter.notices]).toEqual([[QUOTE_ID], ['accepted']]);
  });
});

describe('what is not signed by Relay', () => {
  const good = (): Record<string, string> => signed(notice());
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(good()).filter(([key]) => key !== name));

  it.each<[string, () => Record<string, string>]>([
    ['another key', () => signed(notice(), inMs(), 'somebody else')],
    ['an empty key', () => signed(notice(), inMs(), '')],
    ['no signature', () => without('X-Signature-SHA256')],
    ['no time', () => without('X-Signature-Timestamp')],
    ['a signature that is cut off', () => ({ ...good(), 'X-Signature-SHA256': 'abcd' })],
    ['a signature that is no hex', () => ({ ...good(), 'X-Signature-SHA256': 'z'.repeat(64) })],
    ['a time that was changed', () => ({ ...good(), 'X-Signature-Timestamp': inMs(1) })],
    ['a time that is no number', () => signed(notice(), 'now')],
    ['a time in hex', () => signed(notice(), '0x1')],
    ['no time at all', () => signed(notice(), '')],
    ['a time more than five minutes ago', () => signed(notice(), inMs(-5 * MINUTE_MS - 1))],
    ['a time more than five minutes ahead', () => signed(notice(), inMs(5 * MINUTE_MS + 1))],
    ['the API key of a shop', () => ({ 'x-api-key': 'a-key-of-the-environment' })],
  ])('(%s) is refused before anything of it is read', async (_what, headers) => {
    const [status, problem] = await send(notice(), headers());
    expect(status).toBe(401);
    expect(problem).toMatchObject({ code: 'invalid_signature', success: false });
    expect(JSON.stringify(problem)).not.toContain(KEY);
    expect([published, asked, meter.notices]).toEqual([[], [], ['refused']]);
  });

  it('is refused up to the edges of the window, and not within them', () => {
    const signature = new NoticeSignature([KEY]);
    const isGood = (offsetMs: number): boolean => {
      const headers = signed('{}', inMs(offsetMs));
      const lower = Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]),
      );
      return signature.isGood(lower, Buffer.from('{}'), clock.now());
    };
    const edges = [-5 * MINUTE_MS, 5 * MINUTE_MS, -5 * MINUTE_MS - 1, 5 * MINUTE_MS + 1];
    expect(edges.map(isGood)).toEqual([true, true, false, false]);
  });

  it('is never checked with an empty key', () => {
    expect(() => new NoticeSignature([''])).toThrow('without a key');
  });

  it('is not even taken in when it is too large or compressed', async () => {
    const large = 'x'.repeat(65_537);
    expect((await send(large, signed(large)))[0]).toBe(413);
    const small = gzipSync(notice());
    expect((await send(small, { ...signed(small), 'content-encoding': 'gzip' }))[0]).toBe(415);
    expect(asked).toEqual([]);
  });

  it('leaves no key and no signature in the log', async () => {
    await send(notice(), signed(notice(), inMs(), 'somebody else'));
    const log = JSON.stringify(app.logged);
    expect(log).toContain('invalid_signature');
    expect([log.includes(KEY), log.includes(signed(notice())['X-Signature-SHA256'] ?? '')]).toEqual([
      false,
      false,
    ]);
  });
});

describe('reading what Relay reports', () => {
  it('never throws, and finds either a request or nothing', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.jsonValue(), (text, value) => {
        const hints = [
          parseNotice(Buffer.from(text)),
          parseNotice(Buffer.from(JSON.stringify({ data: value }))),
          parseChangedRequest(value),
        ];
        for (const hint of hints)
          if (hint !== null) expect(hint.requestIds.length + hint.addresses.length).toBeGreaterThan(0);
      }),
    );
  });

  it('reads rows of requests, with the request that takes one over', () => {
    const row = {
      id: REQUEST_ID,
      supersededByRequestId: '0xnext',
      depositAddress: { address: ADDRESS },
      updatedAt: '2026-11-20T12:00:00.123Z',
    };
    expect(parseChangedRequest(row)).toMatchObject({
      requestIds: [REQUEST_ID, '0xnext'],
      addresses: [ADDRESS],
      updatedAt: new Date('2026-11-20T12:00:00.123Z'),
    });
    expect(parseChangedRequest({ id: REQUEST_ID, depositAddress: null })).toMatchObject({ key: null });
  });
});
