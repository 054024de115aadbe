import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

import { freePort } from './free-port.js';
import { waitFor } from './wait-for.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes, as they were signed. */
  readonly body: Buffer;
  /** The body as text and, where it is JSON, parsed. */
  readonly text: string;
  readonly json: unknown;
  readonly at: number;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly delayMs?: number;
}

/** `hang` never answers, `reset` breaks the connection. */
export type Script = (request: ReceivedRequest) => ScriptedAnswer | 'hang' | 'reset';

const ACKNOWLEDGE: Script = () => ({ status: 204 });

/** An HTTP endpoint, such as a merchant's webhook endpoint, that keeps every request and answers as scripted. */
export class HttpReceiver {
  readonly requests: ReceivedRequest[] = [];
  private readonly server: Server;
  private readonly delays = new Set<NodeJS.Timeout>();

  private constructor(
    private script: Script,
    private readonly port: number,
  ) {
    this.server = createServer((request, response) => void this.receive(request, response));
  }

  static async start(script: Script = ACKNOWLEDGE): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(script, await freePort());
    await receiver.listen();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** From now on. */
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

  /** Stops listening and breaks what is open: connections are refused, as by a shop that is down. */
  async close(): Promise<void> {
    for (const delay of this.delays) clearTimeout(delay);
    this.delays.clear();
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  /** After `close`, on the same port. */
  async reopen(): Promise<void> {
    if (!this.server.listening) await this.listen();
  }

  private async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await read(request).catch(() => null);
    if (received === null) return;
    this.requests.push(received);
    const answer = this.script(received);
    if (answer === 'hang') return;
    if (answer === 'reset') {
      request.socket.resetAndDestroy();
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

async function read(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const text = body.toString('utf8');
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body, text, json: parse(text), at: Date.now() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
