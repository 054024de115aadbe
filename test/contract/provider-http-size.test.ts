import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { head, reportOf, ScriptedProviders, statusOf, unavailable } from '../support/scripted-provider.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

const MB = 1024 * 1024;

/** Writes as fast as it is read, until the other side hangs up; returns how much was written. */
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
    // A busy machine takes seconds for megabytes; they are not what is refused here.
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
