import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

export interface FastRequest {
  readonly path: string;
  readonly body: string;
  /** When the first bytes of the request arrived, by `process.hrtime`, which all processes of a machine share. */
  readonly atNs: bigint;
}

/** Writes the whole answer, head and body, unchanged; without a call the request hangs. */
export type Answer = (text: string) => void;

/**
 * Only the part of HTTP that a keep-alive client without chunked requests needs: Node's own server would take much of the
 * processor from the service that a benchmark measures.
 */
export class FastServer {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(onRequest: (request: FastRequest, answer: Answer) => void): Promise<FastServer> {
    const server = createServer({ noDelay: true }, (socket) => readRequests(socket, onRequest));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new FastServer(server, (server.address() as AddressInfo).port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.server.close();
  }
}

function readRequests(socket: Socket, onRequest: (request: FastRequest, answer: Answer) => void): void {
  const answer: Answer = (text) => socket.write(text);
  let unread = '';
  let atNs = 0n;
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    if (unread === '') atNs = process.hrtime.bigint();
    unread += chunk;
    for (let end = endOfRequest(unread); end !== -1; end = endOfRequest(unread)) {
      const body = unread.slice(unread.indexOf(END_OF_HEAD) + END_OF_HEAD.length, end);
      const [, path = ''] = unread.split(' ', 2);
      unread = unread.slice(end);
      onRequest({ path, body, atNs }, answer);
    }
  });
}

/** The end of the first request; -1 while it is incomplete. */
function endOfRequest(unread: string): number {
  const headEnd = unread.indexOf(END_OF_HEAD);
  if (headEnd === -1) return -1;
  const bodyAt = headEnd + END_OF_HEAD.length;
  if (unread.startsWith('GET')) return bodyAt;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(unread.slice(0, headEnd))?.[1] ?? 0);
  return unread.length < bodyAt + length ? -1 : bodyAt + length;
}
