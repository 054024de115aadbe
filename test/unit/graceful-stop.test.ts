import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { OpenConnections } from '../../src/platform/http/open-connections.ts';
import { closeApp, GracefulStop } from '../../src/platform/process/graceful-stop.ts';

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function appOf(server: Server): { getHttpServer(): Server; close(): Promise<void> } {
  return {
    getHttpServer: () => server,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

const never = (): Promise<void> => new Promise(() => undefined);

const failing = (): Promise<void> => Promise.reject(new Error('pool'));

let warnings: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  for (const level of ['log', 'error'] as const)
    jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a stop', () => {
  it('exits 0 once everything is finished', async () => {
    const codes: number[] = [];
    const steps: string[] = [];
    const close = async (): Promise<void> => void steps.push('closed');
    await new GracefulStop(close, (code) => void codes.push(code)).onSignal('SIGTERM');
    expect([steps, codes]).toEqual([['closed'], [0]]);
  });

  it('exits 1 at once on the second signal', async () => {
    const codes: number[] = [];
    const stop = new GracefulStop(never, (code) => void codes.push(code), 60_000);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    void stop.onSignal('SIGTERM');
    await stop.onSignal('SIGINT');
    expect(codes).toEqual([1]);
    for (const { value } of timers.mock.results) clearTimeout(value as NodeJS.Timeout);
  });

  it('is not cut short by a SIGHUP, which a closing terminal and systemd send beside another signal', async () => {
    const codes: number[] = [];
    const stop = new GracefulStop(never, (code) => void codes.push(code), 20);
    void stop.onSignal('SIGTERM');
    await stop.onSignal('SIGHUP');
    expect(codes).toEqual([]);
  });

  it('exits 0 with a line in the log when it takes too long: nothing is lost by it', async () => {
    const code = await new Promise<number>((resolve) => {
      void new GracefulStop(never, resolve, 20).onSignal('SIGTERM');
    });
    expect(code).toBe(0);
    expect(warnings).toHaveBeenCalledWith(expect.stringContaining('20 ms'));
  });

  it('exits 1 when closing fails', async () => {
    const codes: number[] = [];
    await new GracefulStop(failing, (code) => void codes.push(code)).onSignal('SIGTERM');
    expect(codes).toEqual([1]);
  });
});

describe('closing the application', () => {
  it('lets a request in flight end, refuses new ones, and does not wait for idle connections', async () => {
    let answer: (() => void) | undefined;
    const server = createServer((_request, response) => {
      answer = (): void => void response.end('whole');
      server.emit('asked');
    });
    const connections = new OpenConnections(server);
    const url = await listening(server);
    const asked = once(server, 'asked');
    const inFlight = fetch(url);
    await asked;
    const closing = closeApp(appOf(server), connections);
    await expect(fetch(url, { headers: { connection: 'close' } })).rejects.toThrow('fetch failed');
    answer?.();
    expect(await (await inFlight).text()).toBe('whole');
    await closing;
  });

  it('cuts connections that would never end', async () => {
    const server = createServer((_request, response) => {
      response.write('an endless stream');
    });
    const connections = new OpenConnections(server);
    const response = await fetch(await listening(server));
    await closeApp(appOf(server), connections, 50);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it.each([
    ['never sent a byte', ''],
    ['sent a part of the head of a request', 'GET / HTTP/1.1\r\nhost:'],
    ['sent a part of the body of a request', 'POST / HTTP/1.1\r\nhost: y\r\ncontent-length: 9\r\n\r\nabc'],
    [
      'sent a part of a chunked body',
      'POST / HTTP/1.1\r\nhost: y\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    ],
    ['had a request and sent a part of the next one', 'GET / HTTP/1.1\r\nhost: x\r\n\r\nGET'],
  ])('does not wait for a connection that %s', async (_what, sent) => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.end('answered'));
    });
    const connections = new OpenConnections(server);
    const url = await listening(server);
    const socket = await connected(url, server);
    socket.write(sent);
    if (sent.includes('GET / HTTP/1.1\r\nhost: x')) await once(socket, 'data');
    // Without the end of the connection, the stop would wait until the test times out.
    await closeApp(appOf(server), connections, 60_000);
    socket.destroy();
  });
});

describe('a request that arrives slowly while the server stops', () => {
  it('is answered if it is complete within a second', async () => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.end('answered'));
    });
    const connections = new OpenConnections(server);
    const url = await listening(server);
    const socket = await connected(url, server);
    const asked = once(server, 'request');
    socket.write('POST / HTTP/1.1\r\nhost: y\r\ncontent-length: 9\r\n\r\nabc');
    await asked;
    for (const now of [0, 100, 999]) connections.closeUnused(now);
    socket.write('defghi');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK[^]*answered/);
    server.close();
    server.closeAllConnections();
  });
});

async function connected(url: string, server: Server): Promise<Socket> {
  const accepted = once(server, 'connection');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await accepted;
  return socket;
}
