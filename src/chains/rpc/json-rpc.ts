import { isUtf8 } from 'node:buffer';

import { isRecord } from '../../domain/payment/reading.ts';
import { exceededBound } from '../../domain/text/json-bounds.ts';
import { printable } from '../../domain/text/printable.ts';
import type { RpcError } from './rpc-trouble.ts';

/** A block's list of transactions is the longest answer. */
const BOUNDS = { depth: 16, values: 100_000 };
const MOST_OF_A_MESSAGE = 200;

export interface RpcCall {
  readonly method: RpcMethod;
  readonly params: readonly unknown[];
}

/** All methods that are called on an RPC. */
export type RpcMethod =
  | 'eth_chainId'
  | 'eth_getTransactionReceipt'
  | 'eth_getTransactionByHash'
  | 'eth_getBlockByNumber'
  | 'eth_getLogs'
  | 'eth_getBalance'
  | 'eth_call';

export type RpcReply = { readonly result: unknown } | { readonly error: RpcError };

/** A call, and how its reply is read: undefined for an unexpected reply. */
export interface Question<T> {
  readonly call: RpcCall;
  read(reply: RpcReply): T | undefined;
}

/** One call is an object, several are an array. */
export function requestText(calls: readonly RpcCall[]): string {
  const requests = calls.map((call, at) => ({ jsonrpc: '2.0', id: at + 1, ...call }));
  return JSON.stringify(requests.length === 1 ? requests[0] : requests);
}

/**
 * The replies in the order of the calls. Null if the body is no JSON-RPC. A single error if the RPC answers several calls
 * with one error, by which it refuses a batch.
 */
export function readReplies(body: Uint8Array, calls: number): readonly RpcReply[] | RpcError | null {
  const value = parse(body);
  if (calls === 1) {
    const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    const reply = readReply(only);
    return reply !== null && isToCall(only, reply) ? [reply] : null;
  }
  if (!Array.isArray(value)) {
    const reply = readReply(value);
    return reply !== null && 'error' in reply ? reply.error : null;
  }
  return inOrder(value, calls);
}

function inOrder(values: readonly unknown[], calls: number): readonly RpcReply[] | RpcError | null {
  const byId = new Map(values.map((value) => [isRecord(value) ? value['id'] : null, readReply(value)]));
  const replies = Array.from({ length: calls }, (_, at) => byId.get(at + 1) ?? null);
  if (!replies.includes(null)) return replies as RpcReply[];
  // Some RPCs refuse a batch with one error in an array.
  const [first] = values.map(readReply);
  return first !== null && first !== undefined && 'error' in first ? first.error : null;
}

/** A gateway that refuses a call may not have read its id. */
function isToCall(value: unknown, reply: RpcReply): boolean {
  const id = isRecord(value) ? (value['id'] ?? null) : null;
  return id === 1 || (id === null && 'error' in reply);
}

function parse(body: Uint8Array): unknown {
  if (!isUtf8(body) || exceededBound(body, BOUNDS) !== null) return null;
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}

function readReply(value: unknown): RpcReply | null {
  if (!isRecord(value)) return null;
  const { error } = value;
  if (isRecord(error)) {
    const code = typeof error['code'] === 'number' ? error['code'] : 0;
    const message = typeof error['message'] === 'string' ? error['message'] : '';
    return { error: { code, message: printable(message.slice(0, MOST_OF_A_MESSAGE), ' ') } };
  }
  return 'result' in value ? { result: value['result'] } : null;
}
