/** Why an RPC gave no usable answer. */
export type RpcFailure =
  /** The RPC did not answer, or not in JSON-RPC. */
  | 'rpc_away'
  /** The RPC asks for fewer calls. */
  | 'rpc_limited'
  /** The RPC returned an error, or a value of an unexpected form. */
  | 'rpc_error'
  /** The RPC answers for another chain. */
  | 'wrong_chain'
  /** The RPC's head has stopped, or cannot be the head of a chain. */
  | 'rpc_stuck'
  /** The RPC was not asked: its circuit is open, or its pace is used up. */
  | 'rpc_held';

const STUCK_AGAIN_MS = 60_000;

/** Ends an inspection at one RPC. The message contains no address. */
export class RpcTrouble extends Error {
  constructor(
    readonly failure: RpcFailure,
    message: string,
    /** When another try is worthwhile. */
    readonly askAgainMs: number,
  ) {
    super(message);
  }
}

/** The RPC's head has stopped, or cannot be a head: the RPC does not count until its head moves. */
export function stuck(message: string): RpcTrouble {
  return new RpcTrouble('rpc_stuck', message, STUCK_AGAIN_MS);
}

/** An error in JSON-RPC's form. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

const LIMITED = /\brate|too many requests|request count|throttl|per second|compute units|capacity|quota/i;
const RATE_LIMITED = 429;
const LIMIT_EXCEEDED = -32_005;

/** True if fewer calls would help, rather than a shorter range of blocks. */
export function isRateLimit({ code, message }: RpcError): boolean {
  return code === RATE_LIMITED || LIMITED.test(message);
}

/** For a call without a range, every limit is a rate limit. */
export function isAnyLimit(error: RpcError): boolean {
  return error.code === LIMIT_EXCEEDED || isRateLimit(error);
}

const TOO_LONG =
  /\brange|blocks? (?:limit|count)|\d+ blocks|too (?:many|large|big|long|wide)|more than \d+|max(?:imum)? (?:results|logs|blocks)|response size|size (?:limit|exceed)|exceeds? (?:the )?(?:max|limit)|results? (?:limit|exceed)|logs? (?:limit|exceed)|query timeout/i;
const NO_SUCH_BLOCKS =
  /beyond|not found|unknown block|range params|pruned|unavailable|not available|missing/i;

/**
 * True if an error to `eth_getLogs` asks for fewer blocks or results. False for an error about a block that the node lacks.
 */
export function isRangeRefusal({ code, message }: RpcError): boolean {
  return !NO_SUCH_BLOCKS.test(message) && (code === LIMIT_EXCEEDED || TOO_LONG.test(message));
}

const UNKNOWN_TAG = /tag|finalized|argument|invalid|unsupported|not support|hex string/i;
const NOT_THERE_YET = /not found|unknown block/i;
const TAG_CODES: ReadonlySet<number> = new Set([-32_600, -32_601, -32_602, -32_000]);

/** True if the node does not know the tag `finalized`; false if it only has no final block yet. */
export function isUnknownTag({ code, message }: RpcError): boolean {
  return TAG_CODES.has(code) && UNKNOWN_TAG.test(message) && !NOT_THERE_YET.test(message);
}
