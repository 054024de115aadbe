import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import type { Outcome } from '../../src/ports/deliveries.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { spokenHttp } from '../support/spoken-http.ts';
import { type BenchOptions, WebhookBench } from '../support/webhook-bench.ts';
import { startTcpReceiver, type TcpReceiver } from '../support/tcp-receiver.ts';

const TIMEOUT_MS = 500;
/** A time-out that no busy machine reaches, for tests that are not about it. */
const AMPLE_MS = 20_000;
/** Less than the 2 s that a body is waited for. */
const AT_ONCE_MS = 1_500;
const MIB = 1_048_576;
const OK = 'HTTP/1.1 200 OK\r\n';
const DELIVERED = { kind: 'delivered', httpStatus: 200 };
const failed = (failure: string): object => expect.objectContaining({ kind: 'failed', failure });
const cleanup: (() => void | Promise<void>)[] = [];
const { signal } = new AbortController();

afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function benchOf(options: BenchOptions = {}): WebhookBench {
  const bench = new WebhookBench({ timeoutMs: AMPLE_MS, ...options });
  cleanup.push(() => bench.close());
  return bench;
}

async function attempt(url: string, options: BenchOptions = {}): Promise<Outcome> {
  const bench = benchOf(options);
  return bench.destination.deliver(await bench.owe(url), signal);
}

async function rawShop(onSocket: (socket: Socket) => void): Promise<TcpReceiver> {
  const shop = await startTcpReceiver(onSocket);
  cleanup.push(shop.close);
  return shop;
}

async function httpShop(...given: Parameters<typeof HttpReceiver.start>): Promise<HttpReceiver> {
  const shop = await HttpReceiver.start(...given);
  cleanup.push(() => shop.close());
  return shop;
}

async function attemptOnSocket(onSocket: (socket: Socket) => void, options?: BenchOptions): Promise<Outcome> {
  return attempt((await rawShop(onSocket)).url, options);
}

const once =
  (answer: (socket: Socket) => void) =>
  (socket: Socket): void =>
    void socket.once('data', () => answer(socket));

/** Writes for as long as the client reads. */
function flood(socket: Socket, chunk: string | Buffer, onWrite: () => void = () => undefined): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk)) onWrite();
    onWrite();
  };
  socket.on('drain', write);
  write();
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * The bytes that are really held, on the heap and beside it. RSS does not show them: from Node 24 on, V8 lets the young
 * generation grow to 128 MiB, however little is alive in it.
 */
async function heldBytes(): Promise<number> {
  collect();
  // Collected objects free their buffers and close their handles in the following turns of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 100));
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const GRACE_MS = 250;

/**
 * Expects `work` to end within the time-out and a margin. A timer of this process that starts at the same time measures it, so
 * that a busy machine delays both alike.
 */
async function withinDeadline<Value>(timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
  let dueAt = Infinity;
  const timer = setTimeout(() => (dueAt = performance.now()), timeoutMs);
  try {
    const value = await work();
    const endedAt = performance.now();
    expect(endedAt - Math.min(dueAt, endedAt)).toBeLessThan(GRACE_MS);
    return value;
  } finally {
    clearTimeout(timer);
  }
}

/** The waits of every timer that is set while `work` runs. */
async function timersOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  try {
    await work();
    return timers.mock.calls.map(([, waitMs]) => waitMs);
  } finally {
    timers.mockRestore();
  }
}

describe('the deadline of an attempt', () => {
  it('is one timer of WEBHOOK_TIMEOUT_MS from its start', async () => {
    const timeoutMs = 2_345;
    const { url } = await rawShop(once((socket) => socket.resetAndDestroy()));
    const bench = benchOf({ timeoutMs });
    const owed = await bench.owe(url);
    const waits = await timersOf(() => bench.destination.deliver(owed, signal));
    expect(waits.filter((waitMs) => waitMs === timeoutMs).length).toBeGreaterThanOrEqual(1);
    expect(waits.filter((waitMs) => Number(waitMs) > timeoutMs)).toEqual([]);
  });

  it.each([
    ['nothing', () => undefined],
    ['a head, a byte at a time', trickleOf(`${OK}x-${'y'.repeat(100_000)}`)],
    ['informational answers, one at a time', trickleOf('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000))],
    ['an endless reason phrase', (socket: Socket) => flood(socket, 'HTTP/1.1 200 '.padEnd(65_536, 'x'))],
  ])('ends it when the receiver sends %s', async (_, send) => {
    const { url } = await rawShop(once(send));
    const bench = benchOf({ timeoutMs: TIMEOUT_MS });
    const owed = await bench.owe(url);
    const outcome = await withinDeadline(TIMEOUT_MS, () => bench.destination.deliver(owed, signal));
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(['timeout', 'too_large', 'reset']).toContain((outcome as { failure: string }).failure);
  });

  it('is not put off by an answer whose body goes on: the connection is gone with it', async () => {
    let isClosed = false;
    const { url } = await rawShop((socket) => {
      socket.on('close', () => (isClosed = true));
      socket.once('data', () => {
        socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
        trickleOf('1\r\nx\r\n'.repeat(10_000))(socket);
      });
    });
    const bench = benchOf({ timeoutMs: TIMEOUT_MS });
    expect(await bench.destination.deliver(await bench.owe(url), signal)).toMatchObject(DELIVERED);
    await waitFor(() => isClosed, { what: 'the connection to be dropped' });
  });
});

/** A byte each 20 ms. */
function trickleOf(text: string): (socket: Socket) => void {
  return (socket) => {
    let at = 0;
    const timer = setInterval(() => socket.write(text[at++] ?? 'x'), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

describe('a receiver that answers oddly', () => {
  it('redirects to itself for ever: one request, redirect', async () => {
    const shop = await httpShop(({ path }) => ({ status: 308, headers: { location: `${path}x` } }));
    const outcome = await attempt(`http://127.0.0.1:${shop.port}/`);
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'redirect', httpStatus: 308 });
    expect(shop.requests).toHaveLength(1);
  });

  it.each([
    ['a Retry-After', 'Retry-After: 7\r\n'],
    ['a second one after it', 'retry-after: 7\r\nRetry-After: 9\r\n'],
    ['a folded one', 'retry-after:\r\n 7\r\n'],
    ['a space before its colon', 'Retry-After : 7\r\n'],
  ])('asks to wait with %s, behind an interim answer', async (_, lines) => {
    const answer = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\n${lines}content-length: 0\r\n\r\n`;
    expect(await attemptOnSocket(once((socket) => void socket.write(answer)))).toMatchObject({
      kind: 'failed',
      failure: 'status',
      httpStatus: 503,
      retryAfterMs: 7_000,
    });
  });

  it.each(['constructor', '__proto__', 'hasownproperty', 'tostring'])(
    'sends a header that is called %s: delivered',
    async (name) => {
      const head = `${OK}${name}: x\r\n${name}: y\r\ncontent-length: 0\r\n\r\n`;
      expect(await attemptOnSocket(once((socket) => void socket.write(head)))).toMatchObject(DELIVERED);
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    },
  );

  it.each([
    ['the status 000', 'HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n', 'reset'],
    ['the status 099', 'HTTP/1.1 099 Less\r\ncontent-length: 0\r\n\r\n', 'reset'],
    ['the status 999', 'HTTP/1.1 999 More\r\ncontent-length: 0\r\n\r\n', 'status'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'reset'],
    ['a length below 0', `${OK}content-length: -1\r\n\r\n`, 'reset'],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 'reset'],
    ['HTTP/0.9', '<html>hello</html>', 'reset'],
    ['binary', '\u0000\u0001\u0002\r\n\r\n', 'reset'],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 'reset'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'reset'],
    ['nothing but an interim answer, and closes', 'HTTP/1.1 100 Continue\r\n\r\n', 'reset'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'reset'],
    ['nothing but a line end, and closes', '\r\n', 'reset'],
  ])('answers %s', async (_, text, failure) => {
    expect(await attemptOnSocket(once((socket) => void socket.end(text)))).toEqual(failed(failure));
  });

  it.each(spokenHttp('thank you'))('answers 200 with %s: delivered', async (_, bytes) => {
    const answer = Buffer.from(bytes, 'latin1');
    expect(await attemptOnSocket(once((socket) => void socket.end(answer)))).toMatchObject({
      ...DELIVERED,
      trace: { excerpt: 'thank you' },
    });
  });

  it('sends interim answers before each of many answers: one connection is kept', async () => {
    const shop = await rawShop((socket) => {
      socket.on('data', () => {
        socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 0\r\n\r\n`);
      });
    });
    const bench = benchOf();
    const owed = await bench.owe(shop.url);
    for (let round = 0; round < 5; round += 1)
      expect(await bench.destination.deliver(owed, signal)).toMatchObject(DELIVERED);
    expect(shop.connections()).toBeLessThan(5);
  });

  it('answers the next request in advance: that one is not taken for delivered', async () => {
    let answers = 0;
    const shop = await rawShop((socket) => {
      socket.on('data', () => {
        answers += 1;
        if (answers === 1) socket.write(`${OK}content-length: 0\r\n\r\n`.repeat(2));
        else socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const bench = benchOf();
    const owed = await bench.owe(shop.url);
    expect(await bench.destination.deliver(owed, signal)).toMatchObject(DELIVERED);
    expect(await bench.destination.deliver(owed, signal)).toMatchObject({ kind: 'failed' });
  });
});

describe('a receiver that sends without end', () => {
  const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

  it.each([
    ['200 and chunks', CHUNKED, `ffff\r\n${'x'.repeat(65_535)}\r\n`, DELIVERED],
    ['200 and trailers', `${CHUNKED}0\r\n`, 'x-trailer: x\r\n'.repeat(5_000), DELIVERED],
    ['200 and a chunk extension', `${CHUNKED}1`, `;${'x'.repeat(65_535)}`, DELIVERED],
    ['200 and a body without a length', `${OK}\r\n`, 'x'.repeat(65_536), DELIVERED],
    [
      '500 and terabytes',
      'HTTP/1.1 500 Oops\r\ncontent-length: 99999999999999\r\n\r\n',
      'x'.repeat(65_536),
      failed('status'),
    ],
  ])('%s: judged by its status, the connection is dropped', async (_, head, chunk, expected) => {
    let isClosed = false;
    let sent = 0;
    const outcome = await attemptOnSocket((socket) => {
      socket.on('close', () => (isClosed = true));
      socket.once('data', () => {
        socket.write(head);
        flood(socket, chunk, () => (sent += chunk.length));
      });
    });
    expect(outcome).toMatchObject(expected);
    await waitFor(() => isClosed, { what: 'the connection to be dropped' });
    // The kernel's buffers hold some bytes beyond the 64 KiB that are read.
    expect(sent).toBeLessThan(16 * MIB);
  });

  it('103 Early Hints: too_large', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100);
    expect(await attemptOnSocket(once((socket) => flood(socket, hints)))).toEqual(failed('too_large'));
  });

  it('a gzip bomb: never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MIB));
    const shop = await httpShop(() => ({ headers: { 'content-encoding': 'gzip' }, body: bomb }));
    const before = process.memoryUsage().rss;
    expect(await attempt(`${shop.url}/`)).toMatchObject({ kind: 'delivered' });
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MIB);
  });

  it('keeps memory flat over 200 endless bodies and heads', async () => {
    let isBody = false;
    const shop = await rawShop(
      once((socket) => {
        isBody = !isBody;
        socket.write(isBody ? `${OK}\r\n` : OK);
        flood(socket, isBody ? Buffer.alloc(65_536, 'x') : 'x: y\r\n'.repeat(5_000));
      }),
    );
    const bench = benchOf();
    const owed = await bench.owe(shop.url);
    const kinds = new Map<string, number>();
    const tryIt = async (): Promise<void> => {
      const outcome = await bench.destination.deliver(owed, signal);
      const kind = outcome.kind === 'failed' ? outcome.failure : outcome.kind;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    };
    const rounds = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += 1) await Promise.all(Array.from({ length: 10 }, tryIt));
    };
    await rounds(5);
    const before = await heldBytes();
    await rounds(20);
    expect((await heldBytes()) - before).toBeLessThan(4 * MIB);
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        ['delivered', 125],
        ['too_large', 125],
      ]),
    );
  });
});

describe('a head or trailers of many short lines', () => {
  const lines = (count: number): string => 'x: y\r\n'.repeat(count);

  it.each([190, 7_000])('hold little memory while they go on: 200 times %d lines', async (count) => {
    let sent = 0;
    const { url } = await rawShop(once((socket) => void socket.write(OK + lines(count), () => (sent += 1))));
    const bench = benchOf();
    const owed = await bench.owe(url);
    const before = await heldBytes();
    const over = new AbortController();
    const attempts = Array.from({ length: 200 }, () => bench.destination.deliver(owed, over.signal));
    await waitFor(() => sent === 200, { what: 'all heads to be sent' });
    const held = (await heldBytes()) - before;
    over.abort();
    await Promise.all(attempts);
    expect(held).toBeLessThan(48 * MIB);
  });

  it.each([
    ['190 headers', 190, DELIVERED],
    ['500 headers', 500, failed('too_large')],
  ])('may have %s', async (_, count, expected) => {
    const answer = `${OK}${lines(count)}content-length: 0\r\n\r\n`;
    expect(await attemptOnSocket(once((socket) => void socket.write(answer)))).toMatchObject(expected);
  });

  it('counts what came over the wire: 16 KiB', async () => {
    const header = 'x'.repeat(15_000);
    const answer = (more: string): string => `${OK}x: ${header}\r\n${more}content-length: 0\r\n\r\n`;
    const tryIt = (more: string): Promise<Outcome> =>
      attemptOnSocket(once((socket) => void socket.write(answer(more))));
    expect(await tryIt('')).toMatchObject(DELIVERED);
    expect(await tryIt(`y: ${' '.repeat(4_000)}z\r\n`)).toEqual(failed('too_large'));
  });

  it('loses the connection behind a body at once: the answer counts', async () => {
    let isClosed = false;
    const outcome = await withinDeadline(AT_ONCE_MS, () =>
      attemptOnSocket((socket) => {
        socket.on('close', () => (isClosed = true));
        socket.once('data', () => {
          const body = '1\r\nx\r\n0\r\n';
          socket.write(`${OK}transfer-encoding: chunked\r\n\r\n${body}${lines(1_000)}`);
        });
      }),
    );
    expect(outcome).toMatchObject(DELIVERED);
    await waitFor(() => isClosed, { what: 'the connection to be dropped' });
  });

  it('is none: a body of many lines is read to its end, and the connection kept', async () => {
    const body = '\n'.repeat(8_000);
    const shop = await httpShop(() => ({ body }));
    const bench = benchOf();
    const owed = await bench.owe(`http://127.0.0.1:${shop.port}/`);
    for (let round = 0; round < 5; round += 1)
      expect(await bench.destination.deliver(owed, signal)).toMatchObject(DELIVERED);
    expect(shop.connections).toBeLessThan(5);
  });
});

describe('an allowed address', () => {
  it.each(['127.0.0.1', '１２７。0．0｡1'])('is reached as %s', async (host) => {
    const shop = await httpShop(() => ({ status: 200 }));
    expect(await attempt(`http://${host}:${shop.port}/`)).toMatchObject(DELIVERED);
    expect(shop.requests[0]?.headers.host).toBe(`127.0.0.1:${shop.port}`);
  });
});

describe('a name that cannot be asked for', () => {
  it('is longer than a name may be: dns', async () => {
    expect(await attempt(`https://${'x'.repeat(300)}/`, { cidrs: '' })).toEqual(failed('dns'));
  });
});

describe('a receiver that breaks off', () => {
  it('does not listen: refused', async () => {
    expect(await attempt(`http://127.0.0.1:${await freePort()}/`)).toEqual(failed('refused'));
  });

  it.each([
    ['at once: reset', '', 0, failed('reset')],
    ['in the middle of the head: reset', 'HTTP/1.1 200 OK\r\ncontent-le', 0, failed('reset')],
    ['after its 200: delivered', `${OK}content-length: 10\r\n\r\nabc`, 50, DELIVERED],
  ])('resets the connection %s', async (_, text, afterMs, expected) => {
    const send = once((socket) =>
      socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), afterMs)),
    );
    expect(await attemptOnSocket(send)).toMatchObject(expected);
  });
});

describe('a receiver inside', () => {
  it.each(['http://127.0.0.1:PORT/', 'https://localhost:PORT/'])(
    'is not connected to at %s: blocked_address',
    async (url) => {
      const inside = await httpShop();
      const outcome = await attempt(url.replace('PORT', String(inside.port)), { cidrs: '' });
      expect(outcome).toEqual(failed('blocked_address'));
      expect(inside.connections).toBe(0);
    },
  );

  it('gets no plain http on a public address', async () => {
    const resolve = async () => [{ address: '8.8.8.8', family: 4 }];
    expect(await attempt('http://shop.test/', { cidrs: '', resolve })).toEqual(failed('blocked_address'));
  });
});
