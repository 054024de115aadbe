import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

import { BITCOIN, BITCOIN_CASH, DOGECOIN, LITECOIN } from './addresses.ts';
import { type Answer, text } from './answer.ts';
import { blockbook } from './blockbook.ts';
import type { ChainView, ViewedChain } from './chain-view.ts';
import { esplora } from './esplora.ts';

const BITCOIN_GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
/** The first block, and a later block for chains that begin with the same blocks. */
const KNOWN: Readonly<Record<number, ReadonlyMap<number, string>>> = {
  [BITCOIN]: new Map([
    [0, BITCOIN_GENESIS],
    [500_000, '00000000000000000024fb37364cbf81fd49cc2d51c09c75c35433c3a1945d04'],
  ]),
  [BITCOIN_CASH]: new Map([
    [0, BITCOIN_GENESIS],
    [661_648, '0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce'],
  ]),
  [LITECOIN]: new Map([[0, '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2']]),
  [DOGECOIN]: new Map([[0, '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691']]),
};
const SPOKEN = { esplora, blockbook } as const;

export type Speech = keyof typeof SPOKEN;

/**
 * A server in front of a node, like that of a block explorer. It plays the main network of a chain, whose addresses have the
 * same scripts as the node's. Undocumented requests are refused and listed as strange.
 */
export class BlockExplorer {
  /** As CHAIN_RPC names it. */
  url = '';
  readonly strange: string[] = [];
  /** The path and query of each question. */
  readonly asked: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** How many blocks the server is behind. */
  lag = 0;
  hidesPool = false;
  /** The chain as the server saw it when it got stuck; null: it is not stuck. */
  stuckAt: ChainView | null = null;
  /** Instead of each answer. */
  instead: Answer | null = null;
  /** Gives no answer to such a question. */
  holds: ((path: string) => boolean) | null = null;
  /** Changes the answer to a question. */
  lie: ((path: string, answer: Answer) => Answer) | null = null;
  private readonly server: Server;

  private constructor(
    private readonly chain: ViewedChain,
    private readonly speech: Speech,
    /** The chain that it plays. */
    public chainId: number,
    /** The path before the interface's own paths. */
    private readonly base: string,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        this.strange.push(String(error));
        response.destroy();
      });
    });
  }

  static async before(
    chain: ViewedChain,
    speech: Speech,
    chainId = LITECOIN,
    base = '',
  ): Promise<BlockExplorer> {
    const explorer = new BlockExplorer(chain, speech, chainId, base);
    await explorer.open(0);
    return explorer;
  }

  /** Listens; after `close`, on the same port as before. */
  async open(port = Number(new URL(this.url.replace(/^.*\+/, '')).port)): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    const { port: opened } = this.server.address() as AddressInfo;
    this.url = `${this.speech}+http://127.0.0.1:${opened}${this.base}`;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Answers correctly and at once again, and forgets the requests. */
  recover(): void {
    this.lag = 0;
    this.hidesPool = false;
    this.stuckAt = null;
    this.instead = null;
    this.holds = null;
    this.lie = null;
    this.asked.length = 0;
  }

  async see(): Promise<ChainView> {
    const view = (this.stuckAt ?? (await this.chain.view())).behind(this.lag);
    return this.hidesPool ? view.withoutPool() : view;
  }

  private async answer(
    { method, url = '', headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    this.headers.push(headers);
    this.asked.push(url);
    if (this.holds?.(url) === true) return;
    const answer = this.instead ?? (await this.answerTo(String(method), url));
    send(response, this.lie?.(url, answer) ?? answer);
  }

  private async answerTo(method: string, url: string): Promise<Answer> {
    const { pathname, searchParams: query } = new URL(url, 'http://block-explorer');
    const view = await this.see();
    const hash = /\/block\/([\da-f]{64})$/.exec(pathname)?.[1];
    const leftBlock = hash === undefined ? null : await this.chain.anyBlock(hash);
    const { chainId, base } = this;
    const { values } = this.chain;
    const known = KNOWN[chainId] ?? new Map<number, string>();
    const path = pathname.startsWith(base) ? pathname.slice(base.length) : null;
    const answer =
      method === 'GET' && path !== null
        ? SPOKEN[this.speech]({ path, query, view, chainId, known, values, leftBlock })
        : null;
    if (answer === null) this.strange.push(`${method} ${url}`);
    return answer ?? text(404, 'Not Found');
  }
}

function send(response: ServerResponse, { status, body, headers = {}, isCut = false }: Answer): void {
  const bytes = Buffer.from(body);
  const usual = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  response.writeHead(status, { ...usual, ...headers });
  if (!isCut) return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
