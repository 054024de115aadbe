import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createBase58check } from '@scure/base';

import type { Anvil } from '../../../tools/testkit/anvil.ts';
import type { RpcReply, RpcRequest, WholeAnswer } from './lying-rpc.ts';

export const TRON = 728_126_428;
/** How far the solidified block is behind the head. */
const SOLIDIFIED = 19;
const ADDRESS = /^0x[\da-f]{40}$/i;
const HASH = /^0x[\da-f]{64}$/;
const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

/** `T…` of 20 bytes in hexadecimal digits. */
export function tronOf(hex: string): string {
  return base58check.encode(Buffer.from(`41${hex.slice(2)}`, 'hex'));
}

type Json = Record<string, unknown>;
type LogFilter = Partial<Record<'fromBlock' | 'toBlock' | 'blockHash' | 'address', string>> & {
  topics?: unknown;
};

/**
 * A node of Tron in front of one of Ethereum, which answers like java-tron. Calls that mislead or are documented nowhere are
 * refused and listed as strange, since Paybell must not make them.
 */
export class JavaTron {
  url = '';
  readonly strange: string[] = [];
  /** The path or method of each call. */
  readonly asked: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  /** The transactions in the HTTP API's form, by hash, that are neither a transfer of TRX nor a call of a contract. */
  readonly contracts = new Map<string, { readonly type: string; readonly times?: number }>();
  hasWallet = true;
  /** The most blocks of one search. */
  mostBlocks = 5_000;
  /** Old compilers leave 0x41 before the address in a topic. */
  prefixesTopics = false;
  /** Instead of each answer. */
  instead: WholeAnswer | null = null;
  private readonly server: Server;

  private constructor(private readonly anvil: Anvil) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async before(anvil: Anvil): Promise<JavaTron> {
    const node = new JavaTron(anvil);
    await new Promise<void>((resolve) => node.server.listen(0, '127.0.0.1', resolve));
    node.url = `http://127.0.0.1:${(node.server.address() as AddressInfo).port}/jsonrpc`;
    return node;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { url: path = '', method = '' } = request;
    this.headers.push(request.headers);
    const whole = this.instead ?? (await this.wholeOf(method, path, body));
    response
      .writeHead(whole.status, { 'content-type': 'application/json', ...whole.headers })
      .end(whole.body);
  }

  private async wholeOf(method: string, path: string, body: unknown): Promise<WholeAnswer> {
    if (method === 'POST' && path === '/jsonrpc') {
      const replies = [];
      for (const each of [body as RpcRequest | RpcRequest[]].flat())
        replies.push({ jsonrpc: '2.0', id: each.id, ...(await this.replyTo(each)) });
      return { status: 200, body: JSON.stringify(Array.isArray(body) ? replies : replies[0]) };
    }
    const asked = /^\/wallet\/(gettransaction(?:info)?byid)$/.exec(path)?.[1];
    if (method !== 'POST' || asked === undefined) this.strange.push(`${method} ${path}`);
    if (asked === undefined || !this.hasWallet) return { status: 404, body: 'not found' };
    this.asked.push(asked);
    const { value } = body as { value: string };
    if (!/^[\da-f]{64}$/.test(value)) this.strange.push(`${asked} of ${value}`);
    return { status: 200, body: await this.walletText(asked, value) };
  }

  private async replyTo({ method, params }: RpcRequest): Promise<RpcReply> {
    this.asked.push(method);
    const [first, second] = params;
    if (method === 'eth_chainId') return this.result(method);
    if (method === 'eth_getTransactionReceipt' && HASH.test(String(first)))
      return this.receipt(String(first));
    if (method === 'eth_getBlockByNumber' && second === false) return this.block(String(first));
    if (method === 'eth_getLogs') return this.logs(first as LogFilter);
    if (method === 'eth_call' && second === 'latest' && ADDRESS.test(String((first as Json)['to'])))
      return this.result(method, first, second);
    this.strange.push(`${method} ${JSON.stringify(params)}`);
    return method === 'eth_getBalance'
      ? refused(-32_602, 'QUANTITY not supported, just support TAG as latest')
      : refused(-32_601, 'the method does not exist/is not available');
  }

  private async result(method: string, ...params: unknown[]): Promise<RpcReply> {
    return { result: await this.anvil.call(method, ...params) };
  }

  private async receipt(txHash: string): Promise<RpcReply> {
    const found = await this.anvil.call<Json | null>('eth_getTransactionReceipt', txHash);
    if (found === null) return { result: null };
    const logs = (found['logs'] as Json[]).map((log) => this.logOf(log));
    const energy = found['gasUsed'] === '0x5208' ? '0x0' : found['gasUsed'];
    return {
      result: { ...found, blockHash: idOf(found), logs, logsBloom: `0x${'0'.repeat(512)}`, gasUsed: energy },
    };
  }

  private async block(tag: string): Promise<RpcReply> {
    if (tag === 'safe' || tag === 'pending') return refused(-32_602, `TAG ${tag} not supported`);
    const { number } = await this.anvil.head();
    const asked = tag === 'finalized' ? `0x${Math.max(number - SOLIDIFIED, 0).toString(16)}` : tag;
    const found = await this.anvil.call<Json | null>('eth_getBlockByNumber', asked, false);
    return {
      result: found === null ? null : { ...found, hash: idOf({ ...found, blockHash: found['hash'] }) },
    };
  }

  private async logs({ fromBlock, toBlock, blockHash, address, topics }: LogFilter): Promise<RpcReply> {
    const ofBlock = blockHash === undefined ? null : `0x${BigInt(blockHash.slice(0, 18)).toString(16)}`;
    const from = Number(ofBlock ?? fromBlock);
    const to = Number(ofBlock ?? toBlock);
    if (address !== undefined && !ADDRESS.test(address)) this.strange.push(`logs of ${address}`);
    const { mostBlocks } = this;
    if (to - from + 1 > mostBlocks) return refused(-32_602, `exceed max block range: ${mostBlocks}`);
    // The node finds a topic only as the contract wrote it.
    if (this.prefixesTopics) return { result: [] };
    const hex = (number: number): string => `0x${number.toString(16)}`;
    const filter = { fromBlock: hex(from), toBlock: hex(to), address, topics };
    const found = await this.anvil.call<Json[]>('eth_getLogs', filter);
    return { result: found.map((log) => this.logOf(log)) };
  }

  private logOf(log: Json): Json {
    const topics = (log['topics'] as string[]).map((topic, at) =>
      this.prefixesTopics && at > 0 ? topic.replace(/^0x0{24}/, `0x${'0'.repeat(22)}41`) : topic,
    );
    return { ...log, topics, blockHash: idOf(log) };
  }

  /** Returns text, since amounts are numbers with all of their digits. */
  private async walletText(asked: string, id: string): Promise<string> {
    const found = await this.anvil.call<Json | null>('eth_getTransactionByHash', `0x${id}`);
    const mined = await this.anvil.call<Json | null>('eth_getTransactionReceipt', `0x${id}`);
    if (found === null || (mined === null && asked === 'gettransactioninfobyid')) return '{}';
    const result = mined?.['status'] === '0x0' ? 'OUT_OF_ENERGY' : 'SUCCESS';
    if (asked === 'gettransactioninfobyid')
      return JSON.stringify({ id, blockNumber: Number(mined?.['blockNumber']), receipt: { result } });
    const plain = found['input'] === '0x' ? 'TransferContract' : 'TriggerSmartContract';
    const { type, times = 1 } = this.contracts.get(`0x${id}`) ?? { type: plain };
    const addresses = `"owner_address":"41${String(found['from']).slice(2)}","to_address":"41${String(found['to']).slice(2)}"`;
    const value = `{"amount":${BigInt(String(found['value']))},${addresses}}`;
    const contract = `{"parameter":{"value":${value},"type_url":"type.googleapis.com/protocol.${type}"},"type":"${type}"}`;
    const contracts = Array.from({ length: times }, () => contract).join(',');
    return `{"ret":[{"contractRet":"${result}"}],"txID":"${id}","raw_data":{"contract":[${contracts}]}}`;
  }
}

/** A block's id begins with its number. */
function idOf({ number, blockNumber, blockHash }: Json): string {
  const digits = BigInt(String(blockNumber ?? number))
    .toString(16)
    .padStart(16, '0');
  return `0x${digits}${String(blockHash).slice(18)}`;
}

function refused(code: number, message: string): RpcReply {
  return { error: { code, message } };
}
