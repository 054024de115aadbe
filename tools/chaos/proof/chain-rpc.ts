import { HttpReceiver, type ReceivedRequest, type ScriptedAnswer } from '../../testkit/http-receiver.ts';
import { topicOf, type RpcCall, type ScriptedChain, type Transaction, type View } from './scripted-chain.ts';

/** `away` refuses connections; `lag` is behind; `fork` stays on the abandoned branch; `lie` reverses the truth. */
export const RPC_TROUBLES = ['away', 'hang', 'fail', 'throttle', 'lag', 'fork', 'lie'] as const;
export type RpcTrouble = (typeof RPC_TROUBLES)[number];

const LAG_BLOCKS = 40;
const HEADERS = { 'content-type': 'application/json' };
const ILL: Readonly<Record<string, ScriptedAnswer | 'hang'>> = {
  hang: 'hang',
  fail: { status: 503, body: 'no healthy upstream' },
  throttle: { status: 429, headers: { 'retry-after': '2' }, body: 'too many requests' },
};
/** An RPC lies only this long after the other RPC told the truth. */
const LIES_AFTER_MS = 200;
const TOLD_MS = 2_000;

/** An RPC of the scripted chain, in whose path each replica has its own name. */
export class ChainRpc {
  calls = 0;
  lies = 0;
  private trouble: RpcTrouble | null = null;
  private forks = 0;
  private other: ChainRpc | null = null;
  /** When the RPC has told which replica the truth about which transaction or recipient. */
  private readonly told = new Map<string, number>();

  private constructor(
    private readonly chain: ScriptedChain,
    private readonly receiver: HttpReceiver,
  ) {}

  static async pairOf(chain: ScriptedChain): Promise<readonly [ChainRpc, ChainRpc]> {
    const open = async (): Promise<ChainRpc> => {
      const receiver = await HttpReceiver.start(undefined, { keepsRequests: false });
      const rpc = new ChainRpc(chain, receiver);
      receiver.answer((request) => rpc.respond(request));
      return rpc;
    };
    const [one, other] = [await open(), await open()];
    one.other = other;
    other.other = one;
    return [one, other];
  }

  get url(): string {
    return this.receiver.url;
  }

  /** Starts this trouble, which lasts until a call with null. */
  async fall(trouble: RpcTrouble | null): Promise<void> {
    this.trouble = trouble;
    this.forks = this.chain.forks;
    await (trouble === 'away' ? this.receiver.close() : this.receiver.reopen());
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private respond({ json, path }: ReceivedRequest): ScriptedAnswer | 'hang' {
    const calls = [json].flat() as RpcCall[];
    this.calls += calls.length;
    const ill = ILL[this.trouble ?? ''];
    if (ill !== undefined) return ill;
    if (this.trouble === null) for (const { params } of calls) this.told.set(keyOf(path, params), Date.now());
    const answer = { status: 200, headers: HEADERS };
    if (this.trouble !== 'lie') return { ...answer, body: this.body(json, calls, path) };
    const body = (): string => this.body(json, calls, path);
    return {
      ...answer,
      delayMs: LIES_AFTER_MS,
      get body() {
        return body();
      },
    };
  }

  private body(json: unknown, calls: readonly RpcCall[], path: string): string {
    const isTurned = (transaction: Transaction): boolean => this.isLiedAbout(transaction, path);
    const forks = this.trouble === 'fork' ? this.forks : this.chain.forks;
    const view: View = { forks, lag: this.trouble === 'lag' ? LAG_BLOCKS : 0, isTurned };
    const replies = calls.map((call) => {
      const result = this.chain.answer(call, view);
      const error = { code: -32_601, message: `the method ${call.method} does not exist` };
      return { jsonrpc: '2.0', id: call.id, ...(result === undefined ? { error } : { result }) };
    });
    return JSON.stringify(Array.isArray(json) ? replies : replies[0]);
  }

  /** A lie of one RPC alone is believed: it lies only to a replica that the other RPC has just told the truth. */
  private isLiedAbout({ hash, recipient }: Transaction, path: string): boolean {
    if (this.trouble !== 'lie') return false;
    const isTold = [hash, topicOf(recipient)].some((about) => {
      const at = this.other?.told.get(`${path} ${about}`) ?? 0;
      return Date.now() - at < TOLD_MS;
    });
    if (isTold) this.lies += 1;
    return isTold;
  }
}

/** The subject of a call: the hash of a transaction, or the recipient of logs. */
function keyOf(path: string, [first]: RpcCall['params']): string {
  const topics = (first as { topics?: readonly string[] } | undefined)?.topics;
  return `${path} ${topics?.[2] ?? String(first)}`;
}
