import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcReply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface WholeAnswer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection ends after the first half of the body. */
  readonly isCut?: boolean;
}

/** The changes that an RPC makes to its node's answers. */
export interface Lie {
  /** Instead of one call's reply. */
  reply?(request: RpcRequest, reply: RpcReply): RpcReply;
  /** Replaces the whole HTTP answer; null: the node's own answer is passed on. */
  whole?(requests: readonly RpcRequest[]): WholeAnswer | null;
  /** No answer comes before it. */
  readonly after?: Promise<void>;
  /** No answer comes until the caller gives up. */
  readonly isSilent?: boolean;
}

/** A JSON-RPC in front of a node, which counts the calls and lies as a test says. */
export class LyingRpc {
  url = '';
  lie: Lie = {};
  /** The methods of all calls, and the number of HTTP requests that carried them. */
  readonly asked: string[] = [];
  requests = 0;
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async before(target: string): Promise<LyingRpc> {
    const rpc = new LyingRpc(target);
    await rpc.open(0);
    return rpc;
  }

  /** Listens; after `close`, on the same port as before. */
  async open(port = Number(new URL(this.url).port)): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  forget(): void {
    this.asked.length = 0;
    this.requests = 0;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parsed = JSON.parse(Buffer.concat(chunks).toString('utf8')) as RpcRequest | RpcRequest[];
    const requests = [parsed].flat();
    this.requests += 1;
    this.asked.push(...requests.map(({ method }) => method));
    if (this.lie.isSilent === true) return;
    await this.lie.after;
    const whole = this.lie.whole?.(requests) ?? null;
    if (whole !== null) return send(response, whole);
    const replies = [];
    for (const each of requests) replies.push({ jsonrpc: '2.0', id: each.id, ...(await this.replyTo(each)) });
    send(response, { status: 200, body: JSON.stringify(Array.isArray(parsed) ? replies : replies[0]) });
  }

  private async replyTo(request: RpcRequest): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...request });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.target, { method: 'POST', headers, body });
    const { result, error } = (await answer.json()) as RpcReply;
    const reply = error === undefined ? { result } : { error };
    return this.lie.reply?.(request, reply) ?? reply;
  }
}

function send(response: ServerResponse, { status, body, headers = {}, isCut = false }: WholeAnswer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  });
  if (!isCut) return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
