import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Ports below those of outgoing connections and of `listen(0)` (Linux from 32768, others from 49152): no other process gets
 * one of them while its owner is down.
 */
const FIRST = 20_000;
const LAST = 32_767;
const TRIES = 1_000;
const HOST = '127.0.0.1';

const held = new Set<Socket>();
/** Jest's hook, inside a test. */
const afterAll: unknown = Reflect.get(globalThis, 'afterAll');
if (typeof afterAll === 'function')
  afterAll(() => {
    for (const socket of held) socket.close();
    held.clear();
  });

/**
 * A port on 127.0.0.1 that no other caller in any process gets until the test file or this process ends. Its UDP side stays
 * bound, so that its owner may stop listening and later find the port free.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    const socket = await hold(port);
    if (socket === null) continue;
    if (await isFree(port)) {
      held.add(socket);
      return port;
    }
    socket.close();
  }
  throw new Error(`No port is free from ${FIRST} to ${LAST}.`);
}

function hold(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(null));
    socket.bind({ port, address: HOST, exclusive: true }, () => resolve(socket.unref()));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}
