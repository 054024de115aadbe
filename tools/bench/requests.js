/** A client that keeps a given number of requests in flight, each on its own connection, and needs little processor time. */
import { once } from 'node:events';
import { connect } from 'node:net';

const ANSWER_WITHIN_MS = 30_000;
const END_OF_HEAD = '\r\n\r\n';

/**
 * Sends `count` POST requests, `atOnce` at a time, and notes the milliseconds of each. Throws for an answer that is not 2xx.
 * @param {import('./paybell.js').Paybell} paybell
 * @param {{ count: number, atOnce: number, path: string, bodyOf: () => object, headersOf?: () => string }} load
 */
export async function postAtOnce(paybell, { count, atOnce, path, bodyOf, headersOf = () => '' }) {
  let left = count;
  /** @type {number[]} */
  const latencies = [];
  const startedAt = performance.now();
  const work = async () => {
    const connection = await Connection.open(paybell.port);
    try {
      while (left > 0) {
        left -= 1;
        const body = JSON.stringify(bodyOf());
        const sentAt = performance.now();
        const { status, text } = await connection.send(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${paybell.apiKey}\r\n` +
            `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headersOf()}\r\n${body}`,
        );
        latencies.push(performance.now() - sentAt);
        if (status < 200 || status > 299) throw new Error(`${path} answered ${status}: ${text}`);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { latencies, ms: performance.now() - startedAt };
}

/** The part of HTTP that Paybell's answers need, none of which is chunked. */
export class Connection {
  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    this.unread = '';
    /** @type {{ resolve: (answer: { status: number, text: string }) => void, reject: (error: Error) => void } | null} */
    this.waiting = null;
    socket.setEncoding('latin1');
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => this.read(String(chunk)));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the connection was closed')));
  }

  static async open(/** @type {number} */ port) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** @returns {Promise<{ status: number, text: string }>} */
  send(/** @type {string} */ request) {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close() {
    this.socket.destroy();
  }

  read(/** @type {string} */ chunk) {
    this.unread += chunk;
    const headEnd = this.unread.indexOf(END_OF_HEAD);
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.unread.slice(0, headEnd))?.[1];
    const end = headEnd + END_OF_HEAD.length + Number(length);
    if (this.unread.length < end) return;
    const text = this.unread.slice(headEnd + END_OF_HEAD.length, end);
    const status = Number(this.unread.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.unread = '';
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve({ status, text });
  }
}
