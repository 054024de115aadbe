import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import type { Resolve } from '../../src/platform/outbound/guarded-connector.ts';
import type { Outcome } from '../../src/ports/deliveries.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { HttpReceiver, type Script } from '../../tools/testkit/http-receiver.ts';
import {
  EXPIRED_SHOP_CERTIFICATE,
  SHOP_CERTIFICATE,
  SHOP_KEY,
  TEST_CA,
} from '../support/tls-certificates.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { WebhookBench, type BenchOptions } from '../support/webhook-bench.ts';
import { heldBytes } from '../support/held-memory.ts';
import { startTcpReceiver, type TcpReceiver } from '../support/tcp-receiver.ts';
import { withinDeadline } from '../support/within-deadline.ts';

// Long enough that a busy machine never makes a time-out of another failure.
const TIMEOUT_MS = 10_000;
/** Of the receivers that must run into it. */
const SHORT: BenchOptions = { timeoutMs: 500 };
const MIB = 1_048_576;
const ACCEPT: Script = () => ({ status: 200 });
const cleanup: (() => void | Promise<void>)[] = [];
const { signal } = new AbortController();

beforeAll(() => void jest.spyOn(Logger.prototype, 'warn').mockReturnValue());
afterAll(() => void jest.restoreAllMocks());
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function keep<Started extends TcpReceiver | HttpReceiver>(started: Started): Started {
  cleanup.push(() => started.close());
  return started;
}

/** One attempt, which must end within the time-out and a little, whatever the receiver does. */
async function attempt(url: string, options: BenchOptions = {}): Promise<Outcome> {
  const bench = new WebhookBench({ timeoutMs: TIMEOUT_MS, ...options });
  cleanup.push(() => bench.close());
  const owed = await bench.owe(url, `{"filler":"${'x'.repeat(2_000)}"}`);
  return withinDeadline(options.timeoutMs ?? TIMEOUT_MS, () => bench.destination.deliver(owed, signal));
}

async function attemptOnSocket(onSocket: (socket: Socket) => void, options?: BenchOptions): Promise<Outcome> {
  const shop = keep(await startTcpReceiver(onSocket));
  return attempt(`http://127.0.0.1:${shop.port}/`, options);
}

/** Writes for as long as the other side reads. */
function flood(socket: Socket, chunk: string | Buffer, onWrite: () => void = () => undefined): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk)) onWrite();
    onWrite();
  };
  socket.on('drain', write);
  write();
}

/** Answers once a request came in. */
function once(answer: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => socket.once('data', () => answer(socket));
}

function slowly(socket: Socket, text: string, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), everyMs);
  socket.on('close', () => clearInterval(timer));
}

const failed = (failure: string): object => expect.objectContaining({ kind: 'failed', failure });
const delivered = { kind: 'delivered', httpStatus: 200 };
const never: Resolve = () => new Promise(() => undefined);
const unknown: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
const fixed =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a receiver that is slow', () => {
  it('accepts and never answers: timeout', async () => {
    expect(await attemptOnSocket(() => undefined, SHORT)).toEqual(failed('timeout'));
  });

  it('sends one byte of its head a second: timeout', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
    const send = once((socket) => slowly(socket, head, 1_000));
    expect(await attemptOnSocket(send, SHORT)).toEqual(failed('timeout'));
  });

  it('acknowledges and then sends one byte of its body at a time: delivered, and its connection is dropped', async () => {
    let isClosed = false;
    const outcome = await attemptOnSocket((socket) => {
      socket.on('close', () => (isClosed = true));
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
        slowly(socket, 'x', 50);
      });
    });
    expect(outcome).toMatchObject(delivered);
    await waitFor(() => isClosed);
  });

  it('does not finish the TLS handshake: timeout', async () => {
    const shop = keep(await startTcpReceiver(() => undefined));
    expect(await attempt(`https://127.0.0.1:${shop.port}/`, SHORT)).toEqual(failed('timeout'));
  });

  it('hides behind a name server that never answers: timeout', async () => {
    expect(await attempt('https://shop.test/', { ...SHORT, resolve: never })).toEqual(failed('timeout'));
  });
});

describe('a receiver that sends too much', () => {
  const OK = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['200 OK', delivered],
    ['500 Oops', failed('status')],
  ])(
    'answers %s with an endless body: judged by its status, the connection is dropped',
    async (status, expected) => {
      let isClosed = false;
      let sent = 0;
      const outcome = await attemptOnSocket((socket) => {
        socket.on('close', () => (isClosed = true));
        socket.once('data', () => {
          socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 99999999999\r\n\r\n`);
          flood(socket, Buffer.alloc(65_536, 'x'), () => (sent += 65_536));
        });
      });
      expect(outcome).toMatchObject(expected);
      await waitFor(() => isClosed);
      // What fits the kernel's buffers on top of the 64 KiB that are read.
      expect(sent).toBeLessThan(16 * MIB);
    },
  );

  it('sends a header of 10 MB: too_large', async () => {
    const header = `x-flood: ${'x'.repeat(10 * MIB)}\r\n\r\n`;
    const send = once((socket) => void socket.write(OK + header));
    expect(await attemptOnSocket(send)).toEqual(failed('too_large'));
  });

  it('sends endless headers: too_large', async () => {
    const send = once((socket) => {
      socket.write(OK);
      flood(socket, 'a: b\r\n'.repeat(1_000));
    });
    expect(await attemptOnSocket(send)).toEqual(failed('too_large'));
  });

  it('floods with 103 Early Hints: too_large', async () => {
    const send = once((socket) =>
      flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)),
    );
    expect(await attemptOnSocket(send)).toEqual(failed('too_large'));
  });

  it('sends a gzip bomb: never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MIB));
    const shop = keep(
      await HttpReceiver.start(() => ({ headers: { 'content-encoding': 'gzip' }, body: bomb })),
    );
    const before = process.memoryUsage().rss;
    expect(await attempt(`http://127.0.0.1:${shop.port}/`)).toMatchObject(delivered);
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * MIB);
  });

  it('cannot make memory grow, however often it floods', async () => {
    const shop = keep(
      await startTcpReceiver(
        once((socket) => {
          socket.write(`${OK}content-length: 99999999999\r\n\r\n`);
          flood(socket, Buffer.alloc(65_536, 'x'));
        }),
      ),
    );
    const bench = new WebhookBench();
    cleanup.push(() => bench.close());
    const owed = await bench.owe(`http://127.0.0.1:${shop.port}/`);
    const rounds = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += 1)
        await Promise.all(Array.from({ length: 10 }, () => bench.destination.deliver(owed, signal)));
    };
    await rounds(10);
    const before = await heldBytes();
    await rounds(30);
    expect((await heldBytes()) - before).toBeLessThan(4 * MIB);
  });
});

describe('a receiver that breaks off', () => {
  it('does not listen: refused', async () => {
    expect(await attempt(`http://127.0.0.1:${await freePort()}/`)).toEqual(failed('refused'));
  });

  it.each([
    ['at once', ''],
    ['in the middle of the head', 'HTTP/1.1 200 OK\r\ncontent-le'],
  ])('resets the connection %s: reset', async (_, text) => {
    const send = once((socket) => socket.write(text, () => socket.resetAndDestroy()));
    expect(await attemptOnSocket(send)).toEqual(failed('reset'));
  });

  it('resets the connection after its 200: delivered, since the status is the answer', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc';
    const send = once((socket) => socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 50)));
    expect(await attemptOnSocket(send)).toMatchObject(delivered);
  });

  it.each([
    ['HTTP/0.9', '<html>hello</html>'],
    ['binary', '\u0000\u0001\u0002\r\n\r\n'],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('answers %s: reset', async (_, text) => {
    expect(await attemptOnSocket(once((socket) => void socket.end(text)))).toEqual(failed('reset'));
  });
});

describe('a receiver that can not be trusted', () => {
  const shopAt = fixed('127.0.0.1');

  it('has a certificate of an unknown authority: tls', async () => {
    const shop = keep(await HttpReceiver.start(ACCEPT, { tls: { cert: SHOP_CERTIFICATE, key: SHOP_KEY } }));
    expect(await attempt(`https://shop.test:${shop.port}/`, { resolve: shopAt })).toEqual(failed('tls'));
  });

  it('has an expired certificate: tls', async () => {
    const certificate = { cert: EXPIRED_SHOP_CERTIFICATE, key: SHOP_KEY };
    const shop = keep(await HttpReceiver.start(ACCEPT, { tls: certificate }));
    const options = { resolve: shopAt, ca: TEST_CA };
    expect(await attempt(`https://shop.test:${shop.port}/`, options)).toEqual(failed('tls'));
  });

  it('has a certificate for another name: tls', async () => {
    const shop = keep(await HttpReceiver.start(ACCEPT, { tls: { cert: SHOP_CERTIFICATE, key: SHOP_KEY } }));
    const options = { resolve: shopAt, ca: TEST_CA };
    expect(await attempt(`https://other.test:${shop.port}/`, options)).toEqual(failed('tls'));
  });

  it('speaks plain HTTP where TLS is expected: tls', async () => {
    const shop = keep(await HttpReceiver.start(ACCEPT));
    expect(await attempt(`https://127.0.0.1:${shop.port}/`)).toEqual(failed('tls'));
  });

  it('has a name that does not exist: dns', async () => {
    expect(await attempt('https://shop.invalid/', { resolve: unknown })).toEqual(failed('dns'));
    expect(await attempt('https://shop.invalid/', { resolve: fixed() })).toEqual(failed('dns'));
  });
});

describe('a receiver inside', () => {
  it.each([
    'https://127.0.0.1:PORT/',
    'http://127.0.0.1:PORT/',
    'https://2130706433:PORT/',
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://localhost:PORT/',
  ])('is not connected to at %s: blocked_address', async (url) => {
    const inside = keep(await HttpReceiver.start(ACCEPT));
    const outcome = await attempt(url.replace('PORT', String(inside.port)), { cidrs: '' });
    expect(outcome).toEqual(failed('blocked_address'));
    expect(inside.connections).toBe(0);
  });

  it('is not connected to by a name that changes its address after it was judged', async () => {
    const inside = keep(await HttpReceiver.start(ACCEPT));
    const answers = ['127.0.0.1', '127.0.0.9'];
    const rebinding: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.9', family: 4 }];
    const bench = new WebhookBench({ cidrs: '127.0.0.1/32', resolve: rebinding });
    cleanup.push(() => bench.close());
    const closing = keep(await HttpReceiver.start(() => ({ headers: { connection: 'close' } })));
    const owed = await bench.owe(`http://rebind.test:${closing.port}/`);
    expect(await bench.destination.deliver(owed, signal)).toMatchObject(delivered);
    expect(await bench.destination.deliver(owed, signal)).toEqual(failed('blocked_address'));
    expect(closing.connections).toBe(1);
    expect(inside.connections).toBe(0);
  });

  it('is left out when a name has a good address beside it', async () => {
    const shop = keep(await HttpReceiver.start(ACCEPT));
    const options = { cidrs: '127.0.0.1/32', resolve: fixed('10.0.0.1', '127.0.0.1', 'fd00::1') };
    expect(await attempt(`http://mixed.test:${shop.port}/`, options)).toMatchObject(delivered);
  });

  it('is refused when every address of the name is', async () => {
    const options = { cidrs: '', resolve: fixed('10.0.0.1', '169.254.169.254', '::1') };
    expect(await attempt('https://inside.test/', options)).toEqual(failed('blocked_address'));
  });

  it('gets no plain http on a public address', async () => {
    const options = { cidrs: '', resolve: fixed('8.8.8.8') };
    expect(await attempt('http://shop.test/', options)).toEqual(failed('blocked_address'));
  });
});
