import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';

/** What a receiver got: the raw bytes, so that a test can compare them. */
export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

export interface Receiver {
  readonly port: number;
  readonly received: Received[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

type Answer = (response: ServerResponse, request: Received) => void;

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An HTTP or HTTPS server on loopback that keeps what it gets. */
export async function startReceiver(
  answer: Answer,
  tls?: Certificate,
  host = '127.0.0.1',
): Promise<Receiver> {
  const received: Received[] = [];
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      const got = { method, path, headers, bytes: Buffer.concat(chunks) };
      received.push(got);
      answer(response, got);
    });
  };
  const server: Server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  return listen(server, received, host);
}

/** A TCP server on loopback that does with each connection what it is told. */
export async function startRawReceiver(onSocket: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer(onSocket), []);
}

async function listen(server: TcpServer, received: Received[], host = '127.0.0.1'): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, received, connections: () => connections, close };
}
