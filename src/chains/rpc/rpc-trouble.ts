/** Why an RPC gave nothing usable. */
export type RpcFailure =
  /** It did not answer, or with something else than JSON-RPC. */
  | 'rpc_away'
  /** It wants fewer calls. */
  | 'rpc_limited'
  /** It answered an error, or a value of another form. */
  | 'rpc_error'
  /** It answers for another chain. */
  | 'wrong_chain'
  /** Its head has stopped, or can't be the head of a chain. */
  | 'rpc_stuck'
  /** Its circuit is open, or its pace is used up: it was not asked. */
  | 'rpc_held';

const STUCK_AGAIN_MS = 60_000;

/** Ends an inspection at one RPC. Its message has no address. */
export class RpcTrouble extends Error {
  constructor(
    readonly failure: RpcFailure,
    message: string,
    /** When it is worth asking again. */
    readonly askAgainMs: number,
  ) {
    super(message);
  }
}

/** Its head has stopped, or is none: it does not count until it moves. */
export function stuck(message: string): RpcTrouble {
  return new RpcTrouble('rpc_stuck', message, STUCK_AGAIN_MS);
}

/** An error that an RPC answered by JSON-RPC's rules. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

const LIMITED = /\brate|too many requests|request count|throttl|per second|compute units|capacity|quota/i;
const RATE_LIMITED = 429;
const LIMIT_EXCEEDED = -32_005;

/** True where fewer calls would help, and not a shorter range of blocks. */
export function isRateLimit({ code, message }: RpcError): boolean {
  return code === RATE_LIMITED || LIMITED.test(message);
}

/** Of a call that asks for no range, every limit is one of the rate. */
export function isAnyLimit(error: RpcError): boolean {
  return error.code === LIMIT_EXCEEDED || isRateLimit(error);
}

const TOO_LONG =
  /\brange|blocks? (?:limit|count)|\d+ blocks|too (?:many|large|big|long|wide)|more than \d+|max(?:imum)? (?:results|logs|blocks)|response size|size (?:limit|exceed)|exceeds? (?:the )?(?:max|limit)|results? (?:limit|exceed)|logs? (?:limit|exceed)|query timeout/i;
const NO_SUCH_BLOCKS =
  /beyond|not found|unknown block|range params|pruned|unavailable|not available|missing/i;

/** True where an error to `eth_getLogs` asks for fewer blocks, or for fewer results, and means no block that the node lacks. */
export function isRangeRefusal({ code, message }: RpcError): boolean {
  return !NO_SUCH_BLOCKS.test(message) && (code === LIMIT_EXCEEDED || TOO_LONG.test(message));
}

const UNKNOWN_TAG = /tag|finalized|argument|invalid|unsupported|not support|hex string/i;
const NOT_THERE_YET = /not found|unknown block/i;
const TAG_CODES: ReadonlySet<number> = new Set([-32_600, -32_601, -32_602, -32_000]);

/** True where the node does not know the word `finalized`, and not where it has no final block yet. */
export function isUnknownTag({ code, message }: RpcError): boolean {
  return TAG_CODES.has(code) && UNKNOWN_TAG.test(message) && !NOT_THERE_YET.test(message);
}
