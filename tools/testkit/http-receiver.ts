import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';

import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

/** As long as usual load balancers: no client uses a connection that is being closed. */
const KEEP_ALIVE_MS = 60_000;

/** A request with its exact bytes, as they were signed. */
export class ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that the client connected to. */
  readonly localAddress: string;
  readonly at = Date.now();

  constructor(
    request: IncomingMessage,
    readonly body: Buffer,
    /** When the head was read, by `process.hrtime`, which all processes of a machine share. */
    readonly headAtNs: bigint,
  ) {
    this.method = request.method ?? '';
    this.path = request.url ?? '';
    this.headers = request.headers;
    this.localAddress = request.socket.localAddress ?? '';
  }

  get text(): string {
    return this.body.toString('utf8');
  }

  /** The parsed body of a JSON request. */
  get json(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly delayMs?: number;
}

/** `hang` never answers, `reset` breaks the connection. */
export type Script = (request: ReceivedRequest) => ScriptedAnswer | 'hang' | 'reset';

export interface ReceiverOptions {
  readonly host?: string;
  /** With a certificate, the receiver speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** False for a test with too many requests to keep. */
  readonly keepsRequests?: boolean;
}

const ACKNOWLEDGE: Script = () => ({ status: 204 });

/** An HTTP endpoint, such as a merchant's webhook endpoint, that keeps every request and answers as scripted. */
export class HttpReceiver {
  readonly requests: ReceivedRequest[] = [];
  /** How many connections were accepted. */
  connections = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly delays = new Set<NodeJS.Timeout>();

  private constructor(
    private script: Script,
    readonly port: number,
    private readonly options: ReceiverOptions,
  ) {
    const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
      this.receive(request, response);
    this.server =
      options.tls === undefined ? createServer(onRequest) : createTlsServer(options.tls, onRequest);
    this.server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.server.on('connection', (socket: Socket) => this.hold(socket));
  }

  static async start(script: Script = ACKNOWLEDGE, options: ReceiverOptions = {}): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(script, await freePort(), options);
    await receiver.listen();
    return receiver;
  }

  get url(): string {
    return `${this.options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /** Sets the script from now on. */
  answer(script: Script): void {
    this.script = script;
  }

  /** The first request that fits, now or later. */
  waitFor(predicate: (request: ReceivedRequest) => boolean, timeoutMs = 10_000): Promise<ReceivedRequest> {
    return waitFor(() => this.requests.find(predicate), {
      timeoutMs,
      what: `a fitting request; there were ${this.requests.length}`,
    });
  }

  async waitForCount(count: number, timeoutMs = 10_000): Promise<readonly ReceivedRequest[]> {
    await waitFor(() => this.requests.length >= count, { timeoutMs, what: `${count} requests` });
    return this.requests;
  }

  /** Stops listening and breaks open connections: further ones are refused, as by a shop that is down. */
  async close(): Promise<void> {
    for (const delay of this.delays) clearTimeout(delay);
    this.delays.clear();
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Listens again after `close`, on the same port. */
  async reopen(): Promise<void> {
    if (!this.server.listening) await this.listen();
  }

  private async listen(): Promise<void> {
    const { host = '127.0.0.1' } = this.options;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(this.port, host, resolve);
    });
  }

  private hold(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const headAtNs = process.hrtime.bigint();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const received = new ReceivedRequest(request, Buffer.concat(chunks), headAtNs);
      if (this.options.keepsRequests !== false) this.requests.push(received);
      this.respond(this.script(received), request.socket, response);
    });
  }

  private respond(answer: ReturnType<Script>, socket: Socket, response: ServerResponse): void {
    if (answer === 'hang') return;
    if (answer === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    if (answer.delayMs === undefined) {
      send(response, answer);
      return;
    }
    const delay = setTimeout(() => {
      this.delays.delete(delay);
      send(response, answer);
    }, answer.delayMs);
    this.delays.add(delay);
  }
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '' }: ScriptedAnswer): void {
  if (!response.destroyed) response.writeHead(status, headers).end(body);
}
