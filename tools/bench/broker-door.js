/** A TCP door before the broker, in a process of its own: shut, the broker is away. */
import { connect, createServer } from 'node:net';

import { answerParent } from './child.js';

const DEFAULT_PORT = 5_672;

let isOpen = true;
let target = { host: '127.0.0.1', port: DEFAULT_PORT };
/** @type {Set<import('node:net').Socket>} */
const sockets = new Set();

function keep(
  /** @type {import('node:net').Socket} */ socket,
  /** @type {import('node:net').Socket} */ other,
) {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    sockets.delete(socket);
    other.destroy();
  });
}

const server = createServer({ noDelay: true }, (near) => {
  if (!isOpen) {
    near.resetAndDestroy();
    return;
  }
  const far = connect({ ...target, noDelay: true });
  keep(near, far);
  keep(far, near);
  near.pipe(far).pipe(near);
});

/** @typedef {{ url?: string, isOpen?: boolean }} Asked */
answerParent(server, (/** @type {Asked} */ asked) => {
  if (asked.url !== undefined) {
    const { hostname, port } = new URL(asked.url);
    target = { host: hostname, port: Number(port || DEFAULT_PORT) };
  }
  isOpen = asked.isOpen ?? isOpen;
  if (!isOpen) for (const socket of sockets) socket.resetAndDestroy();
  return {};
});
