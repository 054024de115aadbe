import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';

import { HttpProvider, type HttpProviderOptions } from '../../src/providers/http/http-provider.ts';
import type { QuoteRequest } from '../../src/domain/payment/quote.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';

const SHORT_TIMEOUT_MS = 400;
/** The margin for a machine that is busy with other tests. */
const SLACK_MS = 1_500;

/** A request as the provider received it. */
export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const QUOTE_REQUEST: QuoteRequest = {
  fromChainId: 1,
  toChainId: 8453,
  fromToken: '0x0000000000000000000000000000000000000000',
  toToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  amount: '0.010000000000000001',
  recipient: '0x1111111111111111111111111111111111111111',
};

/** Providers on loopback that give a test's answers, and all servers that a test file has started. */
export class ScriptedProviders {
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly clients: HttpProvider[] = [];
  /** The number of connections that were ever made to one of the servers. */
  connections = 0;

  http(listener: RequestListener): Promise<string> {
    return this.listen(createHttpServer({ keepAliveTimeout: 30_000 }, listener));
  }

  /** Answers everything in the same way. */
  answering(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
    return this.http((_request, response) => response.writeHead(status, headers).end(body));
  }

  /** Gives all requests the same answer, and keeps the requests. */
  async recording(body: string): Promise<{ baseUrl: string; seen: Seen[] }> {
    const seen: Seen[] = [];
    const baseUrl = await this.http((request, response) => {
      const { method, url, headers } = request;
      void readAll(request).then((text) => {
        seen.push({ method, url, headers, body: text });
        response.end(body);
      });
    });
    return { baseUrl, seen };
  }

  /** Answers each request with the bytes that `script` writes, whether they are HTTP or not. */
  raw(script: (socket: Socket) => void): Promise<string> {
    return this.listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => script(socket));
      }),
    );
  }

  client(baseUrl: string, options: Partial<HttpProviderOptions> = {}): HttpProvider {
    const usual = { baseUrl, apiKey: 'key-of-the-provider', auth: 'x-api-key', timeoutMs: 2_000 } as const;
    const all = { ...usual, maxConcurrency: 8, maxRpm: 0, ...options };
    const client = new HttpProvider(all, { now: () => new Date() });
    this.clients.push(client);
    return client;
  }

  /** The answer to a status request, for which `script` writes the bytes; throws if it is late by more than the slack. */
  async answerTo(script: (socket: Socket) => void): Promise<StatusAnswer> {
    const provider = this.client(await this.raw(script), { timeoutMs: SHORT_TIMEOUT_MS });
    const startedAt = performance.now();
    const answer = await statusOf(provider);
    const tookMs = performance.now() - startedAt;
    if (tookMs > SHORT_TIMEOUT_MS + SLACK_MS) throw new Error(`the answer took ${tookMs} ms`);
    return answer;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.clients.splice(0).map((client) => client.close()));
    await Promise.all(
      this.servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
    );
    this.connections = 0;
  }

  private async listen(server: Server): Promise<string> {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** The provider's answer about one payment. */
export async function statusOf(provider: HttpProvider, quoteId = 'quote-1'): Promise<StatusAnswer> {
  const answers: StatusAnswer[] = [];
  await provider.readStatuses([quoteId], (_id, answer) => answers.push(answer));
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) throw new Error(`${answers.length} answers for one id`);
  return answer;
}

export function reportOf(quoteId = 'quote-1', more: object = {}): string {
  return JSON.stringify({ success: true, quoteId, status: 'EXECUTING', expiresAt: 1_795_000_300, ...more });
}

/** An HTTP answer up to its body. */
export function head(status: string, ...headers: string[]): string {
  return [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
}

export function unavailable(
  reason: string,
  httpStatus: number | null = null,
  retryAfterMs: number | null = null,
): StatusAnswer {
  return { kind: 'unavailable', reason, retryAfterMs, httpStatus };
}
