import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TamperedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only the first half of the body is sent. */
  readonly isCut?: boolean;
}

/** Changes an answer. `path` includes its query. */
export type Tamper = (answer: TamperedAnswer, path: string) => TamperedAnswer;

const HONEST: Tamper = (answer) => answer;

/** A proxy before a provider, which changes the answers while the test wants it. */
export class TamperingProxy {
  url = '';
  private tamper = HONEST;
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((request, response) => {
      this.pass(request, response).catch(() => response.destroy());
    });
  }

  static async before(target: string): Promise<TamperingProxy> {
    const proxy = new TamperingProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    proxy.url = `http://127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** Null: no answer is changed any more. */
  set(tamper: Tamper | null): void {
    this.tamper = tamper ?? HONEST;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    const passed = ['x-api-key', 'content-type', 'authorization'].flatMap((name) =>
      typeof headers[name] === 'string' ? [[name, headers[name]] as [string, string]] : [],
    );
    const body = chunks.length === 0 ? null : Buffer.concat(chunks);
    const answer = await fetch(this.target + url, { method, headers: passed, body });
    const {
      status,
      body: text,
      headers: more = {},
      isCut = false,
    } = this.tamper({ status: answer.status, body: await answer.text() }, url);
    const bytes = Buffer.from(text);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...more,
    });
    if (!isCut) return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  }
}
