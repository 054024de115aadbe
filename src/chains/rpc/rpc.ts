import type { Timers } from '../../ports/timers.ts';
import { type Question, readReplies, requestText, type RpcCall, type RpcReply } from './json-rpc.ts';
import type { RpcConnection } from './rpc-connection.ts';
import { isAnyLimit, isRateLimit, RpcTrouble } from './rpc-trouble.ts';

/** How long the chain that an RPC has named is trusted. */
const CHAIN_KNOWN_MS = 10_000;
const AGAIN_MS = 15_000;
/** With these statuses an RPC may refuse several calls in one request although it accepts each call alone. */
const REFUSES_BATCH: ReadonlySet<number> = new Set([400, 403, 405, 413, 415, 422, 500, 501]);

export interface RpcOptions {
  readonly chainId: number;
  /** The question for the chain's id. */
  readonly asksChainId: Question<number>;
  readonly timers: Timers;
  /** Converts this kind's own form of replies to the usual one; left out: there is no difference. */
  readonly translate?: (reply: RpcReply) => RpcReply;
}

type AnswersOf<Q extends readonly Question<unknown>[]> = {
  -readonly [K in keyof Q]: Q[K] extends Question<infer T> ? T : never;
};

/** One JSON-RPC of a chain: batches its calls, and checks that it is on that chain. */
export class Rpc {
  private takesBatches = true;
  private chainKnownAt = -Infinity;

  constructor(
    readonly connection: RpcConnection,
    private readonly options: RpcOptions,
  ) {}

  get host(): string {
    return this.connection.host;
  }

  /** The answers to all questions. Throws only RpcTrouble. */
  async ask<const Q extends readonly Question<unknown>[]>(...questions: Q): Promise<AnswersOf<Q>> {
    const isKnown = this.isChainKnown();
    const all = isKnown ? questions : [this.options.asksChainId, ...questions];
    const replies = await this.send(all.map(({ call }) => call));
    const answers = all.map((question, at) => this.read(question, replies[at]));
    if (!isKnown) this.noteChain(answers.shift() as number);
    return answers as AnswersOf<Q>;
  }

  /** Asks for the chain anew. Throws RpcTrouble if it is another one. */
  async checkChain(): Promise<void> {
    this.chainKnownAt = -Infinity;
    await this.ask();
  }

  private isChainKnown(): boolean {
    const isNew = this.options.timers.nowMs() - this.chainKnownAt < CHAIN_KNOWN_MS;
    return isNew && this.chainKnownAt > this.connection.awayAtMs;
  }

  private read(question: Question<unknown>, reply: RpcReply | undefined): unknown {
    const { translate } = this.options;
    const answer = reply === undefined ? undefined : question.read(translate?.(reply) ?? reply);
    if (answer !== undefined) return answer;
    this.chainKnownAt = -Infinity;
    const code =
      reply !== undefined && 'error' in reply ? `error ${reply.error.code}` : 'an unreadable result';
    throw new RpcTrouble('rpc_error', `answers ${code} to ${question.call.method}`, AGAIN_MS);
  }

  private noteChain(chainId: number): void {
    if (chainId !== this.options.chainId)
      throw new RpcTrouble('wrong_chain', `is on chain ${chainId}, not ${this.options.chainId}`, 60_000);
    this.chainKnownAt = this.options.timers.nowMs();
  }

  private async send(calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    if (calls.length > 1 && this.takesBatches) {
      const replies = await this.request(calls);
      if (replies !== null) return replies;
      this.takesBatches = false;
    }
    const single: RpcReply[] = [];
    // One call after another: an RPC that refuses batches usually limits concurrent calls too.
    for (const call of calls) single.push(...((await this.request([call])) ?? []));
    return single;
  }

  /** Null: the RPC refuses several calls in one request. */
  private async request(calls: readonly RpcCall[]): Promise<readonly RpcReply[] | null> {
    const { connection } = this;
    const { path } = connection;
    const count = calls.length;
    const request = { method: 'POST', path, body: requestText(calls), calls: count } as const;
    const { status, body, retryAfter } = await connection.exchange(request);
    const replies = readReplies(body, count);
    if (replies === null) {
      if (count > 1 && REFUSES_BATCH.has(status)) return null;
      throw connection.away(count, status >= 300 ? `status ${status}` : 'unreadable answer');
    }
    if ('code' in replies) {
      if (isAnyLimit(replies)) throw connection.limited(count, retryAfter);
      return null;
    }
    if (replies.some((reply, at) => isLimit(reply, calls[at]))) throw connection.limited(count, retryAfter);
    connection.answered(count);
    return replies;
  }
}

/** A refused range of blocks is not a rate limit. */
function isLimit(reply: RpcReply, call: RpcCall | undefined): boolean {
  if (!('error' in reply)) return false;
  return call?.method === 'eth_getLogs' ? isRateLimit(reply.error) : isAnyLimit(reply.error);
}
