import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

import { afterEach } from '@jest/globals';

import { waitFor } from '../../tools/testkit/wait-for.ts';

const opened = new Set<RawConnection>();
afterEach(() => {
  for (const connection of opened) connection.destroy();
  opened.clear();
});

/** A TCP connection that sends the given bytes, and reads only when the test does. */
export class RawConnection {
  isClosed = false;
  /** The server has sent its end. */
  isEnded = false;
  private received: Buffer[] = [];

  readonly localPort: number;
  readonly serverPort: number;

  private constructor(readonly socket: Socket) {
    this.localPort = socket.localPort ?? 0;
    this.serverPort = socket.remotePort ?? 0;
    socket.on('error', () => undefined);
    socket.once('end', () => (this.isEnded = true));
    socket.once('close', () => (this.isClosed = true));
    opened.add(this);
  }

  /** Nothing is read before `read`. */
  static async open(url: string): Promise<RawConnection> {
    const { port } = new URL(url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.pause();
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Whether the system took all bytes: a server that reads nothing takes a limited number. */
  send(bytes: string | Buffer): boolean {
    return this.socket.write(bytes);
  }

  read(): this {
    this.socket.on('data', (chunk: Buffer) => this.received.push(chunk));
    this.socket.resume();
    return this;
  }

  get text(): string {
    return Buffer.concat(this.received).toString('latin1');
  }

  /** The status lines received. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  async whenClosed(timeoutMs: number): Promise<void> {
    await waitFor(() => this.isClosed || this.isEnded, { timeoutMs, what: 'the connection to be closed' });
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** A request as text, without a body. */
export function requestText(path: string, headers: Record<string, string> = {}, method = 'GET'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: paybell\r\n${lines.join('')}\r\n`;
}

/** How many file descriptors a process has. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

const ESTABLISHED = '01';

/** How many of these connections the server still has, by the system's table: a client that does not read cannot know. */
export function countHeld(connections: readonly RawConnection[]): number {
  // Compares both ports: other programs have connections from the same port to other servers.
  const held = new Set(connections.map(({ serverPort, localPort }) => `${serverPort} ${localPort}`));
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return rows.filter((row) => {
    const [, local = '', remote = '', state] = row.trim().split(/\s+/);
    return state === ESTABLISHED && held.has(`${portOf(local)} ${portOf(remote)}`);
  }).length;
}

/** The port of an address as the system writes it, such as `0100007F:0BB8`. */
function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
