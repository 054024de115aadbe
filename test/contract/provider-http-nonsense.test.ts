import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { spokenHttp } from '../support/spoken-http.ts';
import { head, reportOf, ScriptedProviders, statusOf, unavailable } from '../support/scripted-provider.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

const body = (bytes: string | Buffer, type = 'application/json'): ((socket: Socket) => void) => {
  const length = Buffer.byteLength(bytes);
  return (socket) => {
    socket.write(head('200 OK', `content-type: ${type}`, `content-length: ${length}`));
    socket.write(bytes);
  };
};

describe('the http provider, when the answer makes no sense', () => {
  const unreadable: [string, (socket: Socket) => void][] = [
    ['HTML', body('<html><body>Welcome to the Wi-Fi</body></html>', 'text/html')],
    ['an empty body', body('')],
    ['JSON that stops in the middle', body('{"quoteId":"quote-1","stat')],
    ['JSON that is no object', body('[1,2,3]')],
    ['the word null', body('null')],
    ['bytes that are no UTF-8', body(Buffer.from('{"status":"EXECUTING","error":"\xff"}', 'latin1'))],
    ['success: false without a status', body('{"success":false,"error":"no such quote"}')],
  ];
  it.each(unreadable)('calls %s an unreadable answer', async (_name, script) => {
    expect(await providers.answerTo(script)).toEqual(unavailable('unreadable answer', 200));
  });

  it('calls a 204 an unreadable answer', async () => {
    const answer = await providers.answerTo((socket) => socket.write(head('204 No Content')));
    expect(answer).toEqual(unavailable('unreadable answer', 204));
  });

  const broken: [string, (socket: Socket) => void][] = [
    [
      'a chunk size that is none',
      (socket) => socket.write(head('200 OK', 'transfer-encoding: chunked') + 'zz\r\n{}'),
    ],
    ['what is not HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a header of 64 KiB', (socket) => socket.write(head('200 OK', `x-filler: ${'x'.repeat(65_536)}`))],
  ];
  it.each(broken)('calls %s an unreadable answer without an HTTP status', async (_name, script) => {
    expect(await providers.answerTo(script)).toEqual(unavailable('unreadable answer'));
  });

  it('does not take a body that is shorter than announced for an answer', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.end(head('200 OK', 'content-length: 5000') + reportOf('quote-1')),
    );
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it('does not take a chunked body that was cut off for an answer', async () => {
    const text = reportOf('quote-1');
    const answer = await providers.answerTo((socket) =>
      socket.end(`${head('200 OK', 'transfer-encoding: chunked')}${text.length.toString(16)}\r\n${text}\r\n`),
    );
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['at once', ''],
    ['within the header', 'HTTP/1.1 200 OK\r\ncontent-'],
  ])('survives a connection that is reset %s', async (_name, before) => {
    const answer = await providers.answerTo((socket) => {
      if (before === '') socket.resetAndDestroy();
      else socket.write(before, () => socket.resetAndDestroy());
    });
    expect(answer).toEqual(unavailable('connection closed'));
  });

  it('survives a switch of protocols that nobody asked for', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.write(head('101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket')),
    );
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it.each(spokenHttp(reportOf('quote-1')))('reads an answer that has %s', async (_name, bytes) => {
    const answer = await providers.answerTo((socket) => socket.end(Buffer.from(bytes, 'latin1')));
    expect(answer).toMatchObject({ kind: 'report', report: { status: 'EXECUTING' } });
  });

  it('reads an answer whose encoding is only misnamed', async () => {
    const base = await providers.answering(200, reportOf(), { 'content-encoding': 'utf-8' });
    expect(await statusOf(providers.client(base))).toMatchObject({ kind: 'report' });
  });

  it('says that nobody listens', async () => {
    const provider = providers.client(`http://127.0.0.1:${await freePort()}`);
    expect(await statusOf(provider)).toEqual(unavailable('connection refused'));
    await expect(provider.readChains()).rejects.toEqual(new ProviderUnavailable('connection refused'));
  });
});

const MB = 1024 * 1024;

/** Writes as fast as the other side reads, until it hangs up; returns the number of written bytes. */
function pour(socket: Socket, chunk: Buffer, chunks: number, written: { bytes: number }): void {
  let left = chunks;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      written.bytes += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', more);
    }
    socket.end();
  };
  more();
}

const reportOfSize = (size: number): string => {
  const empty = reportOf('quote-1', { note: '' });
  return reportOf('quote-1', { note: 'x'.repeat(size - empty.length) });
};

describe('the http provider, when the answer is too large', () => {
  it('refuses an announced 100 MB without reading it', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.write(head('200 OK', `content-length: ${100 * MB}`) + '{'),
    );
    expect(answer).toEqual(unavailable('answer too large', 200));
  });

  it('stops reading 100 MB that were not announced, in little memory', async () => {
    const written = { bytes: 0 };
    const before = process.memoryUsage().arrayBuffers;
    const answer = await providers.answerTo((socket) => {
      socket.write(head('200 OK', 'connection: close'));
      pour(socket, Buffer.alloc(64 * 1024, ' '), 1_600, written);
    });
    expect(answer).toEqual(unavailable('answer too large', 200));
    expect(written.bytes).toBeLessThan(20 * MB);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * MB);
  });

  it('takes a report of just 256 KiB and refuses one byte more', async () => {
    let size = 256 * 1024;
    const base = await providers.http((_request, response) => {
      const body = reportOfSize(size);
      response.write(body.slice(0, 1_000)); // in parts, without a content-length
      response.end(body.slice(1_000));
    });
    const provider = providers.client(base);
    expect(await statusOf(provider)).toMatchObject({ kind: 'report', report: { text: reportOfSize(size) } });
    size += 1;
    expect(await statusOf(provider)).toEqual(unavailable('answer too large', 200));
  });

  it('takes a list of 3 MB and refuses one of 5 MB', async () => {
    let size = 3 * MB;
    const base = await providers.http((_request, response) =>
      response.end(JSON.stringify({ success: true, chains: [{ name: 'x'.repeat(size) }] })),
    );
    // A busy machine takes seconds for megabytes, and this test is not about time.
    const provider = providers.client(base, { timeoutMs: 30_000 });
    expect((await provider.readChains()).length).toBeGreaterThan(3 * MB);
    size = 5 * MB;
    await expect(provider.readChains()).rejects.toEqual(new ProviderUnavailable('answer too large'));
  });

  it('does not unpack a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MB, ' '));
    const before = process.memoryUsage().arrayBuffers;
    const answer = await providers.answerTo((socket) => {
      socket.write(head('200 OK', 'content-encoding: gzip', `content-length: ${bomb.length}`));
      socket.write(bomb);
    });
    expect(answer).toEqual(unavailable('unreadable answer', 200));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * MB);
  });
});

describe('the http provider, when the answer takes too long', () => {
  it('gives up on a provider that accepts and says nothing', async () => {
    expect(await providers.answerTo(() => undefined)).toEqual(unavailable('timeout'));
  });

  it('gives up on a body that comes byte by byte, since the deadline is for the whole request', async () => {
    const answer = await providers.answerTo((socket) => {
      socket.write(head('200 OK', 'content-length: 1000'));
      const timer = setInterval(() => socket.write(' '), 20);
      socket.once('close', () => clearInterval(timer));
    });
    expect(answer).toEqual(unavailable('timeout'));
  });

  it('gives up on a header that never ends', async () => {
    const answer = await providers.answerTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.once('close', () => clearInterval(timer));
    });
    expect(answer).toEqual(unavailable('timeout'));
  });

  it('hangs up, so that the provider need not go on', async () => {
    let isClosed = false;
    await providers.answerTo((socket) => socket.once('close', () => (isClosed = true)));
    await waitFor(() => isClosed);
    expect(isClosed).toBe(true);
  });

  it('never sends a request that was given up while it waited for its connection', async () => {
    const quotes: string[] = [];
    const base = await providers.http((request, response) => {
      quotes.push(request.url ?? '');
      response.end('{}');
    });
    const provider = providers.client(base, { timeoutMs: 1 });
    const blocked = provider.readChains().catch((error: unknown) => error);
    const until = performance.now() + 30;
    while (performance.now() < until); // the deadline passes before the connection can be made
    expect(await blocked).toEqual(new ProviderUnavailable('timeout'));
    await provider.close();
    expect(quotes).toEqual([]);
  });

  it('honours the status and Retry-After of an error whose body never comes', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.write(head('503 Service Unavailable', 'retry-after: 7', 'content-length: 10')),
    );
    expect(answer).toEqual(unavailable('status 503', 503, 7_000));
  });
});
