import { isRecord } from '../../domain/payment/reading.ts';
import type { RpcReply } from '../rpc/json-rpc.ts';
import type { LimitIn } from '../rpc/rpc-connection.ts';

/** Old compilers leave the prefix of an address in the 12 bytes before it. */
const PREFIXED_TOPIC = /^0x0{22}41(?=[\da-f]{40}$)/i;
/** A node's own limit comes with status 200, a gateway's with 403 or 503; neither is JSON-RPC. */
const LIMIT = /lack of computing resources|frequency limit/i;
const SUSPENDED = /suspended for (\d{1,4}) ?s/i;
const MOST_OF_A_LIMIT = 1_000;

export const limitIn: LimitIn = (_status, body) => {
  const text = body.length > MOST_OF_A_LIMIT ? '' : body.toString('utf8');
  if (!LIMIT.test(text) || text.includes('"jsonrpc"')) return null;
  const seconds = SUSPENDED.exec(text)?.[1];
  return { pauseMs: seconds === undefined ? null : Number(seconds) * 1_000 };
};

/** A reply with its logs in the form of Ethereum's nodes. */
export function translate(reply: RpcReply): RpcReply {
  if (!('result' in reply)) return reply;
  const { result } = reply;
  if (Array.isArray(result)) return { result: result.map(logOf) };
  if (!isRecord(result) || !Array.isArray(result['logs'])) return reply;
  return { result: { ...result, logs: result['logs'].map(logOf) } };
}

function logOf(log: unknown): unknown {
  if (!isRecord(log) || !Array.isArray(log['topics'])) return log;
  return { ...log, topics: log['topics'].map(topicOf) };
}

function topicOf(topic: unknown): unknown {
  return typeof topic === 'string' ? topic.replace(PREFIXED_TOPIC, `0x${'0'.repeat(24)}`) : topic;
}
