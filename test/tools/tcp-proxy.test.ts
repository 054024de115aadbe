import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

describe('the TCP proxy', () => {
  let echo: Server;
  let proxy: TcpProxy;

  beforeEach(async () => {
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    proxy = await TcpProxy.start({ port: (echo.address() as AddressInfo).port });
  });

  afterEach(async () => {
    await proxy.close();
    await new Promise((resolve) => echo.close(resolve));
  });

  async function open(): Promise<{
    socket: Socket;
    received: () => string;
    error: () => string | undefined;
  }> {
    const socket = connect(proxy.port, proxy.host);
    let text = '';
    let code: string | undefined;
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
    await once(socket, 'connect');
    return { socket, received: () => text, error: () => code };
  }

  it('holds everything back while frozen, without an end, and gives it after', async () => {
    const client = await open();
    client.socket.write('a');
    await waitFor(() => client.received() === 'a');
    proxy.freeze();
    client.socket.write('b');
    const late = await open();
    late.socket.write('c');
    await waitFor(() => proxy.accepted === 2);
    expect([client.received(), late.received()]).toEqual(['a', '']);
    proxy.thaw();
    await waitFor(() => client.received() === 'ab' && late.received() === 'c');
    for (const { socket } of [client, late]) socket.destroy();
  });

  it('abandons what stands for good, without an end, and lets new connections through', async () => {
    const client = await open();
    client.socket.write('a');
    await waitFor(() => client.received() === 'a');
    proxy.abandonAll();
    client.socket.write('b');
    const next = await open();
    next.socket.write('c');
    await waitFor(() => next.received() === 'c');
    proxy.freeze();
    proxy.thaw();
    next.socket.write('d');
    await waitFor(() => next.received() === 'cd');
    expect([client.received(), client.error(), client.socket.destroyed]).toEqual(['a', undefined, false]);
    for (const { socket } of [client, next]) socket.destroy();
  });

  it('delays each piece in both directions while it is slow, and keeps their order', async () => {
    const client = await open();
    proxy.slow(30);
    const startedAt = performance.now();
    client.socket.write('a');
    await waitFor(() => client.received() === 'a', { everyMs: 1 });
    expect(performance.now() - startedAt).toBeGreaterThan(55);
    client.socket.write('b');
    proxy.heal();
    client.socket.write('c');
    await waitFor(() => client.received() === 'abc');
    client.socket.destroy();
  });
});
