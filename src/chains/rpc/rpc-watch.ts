import type { OutputAnswer, PromisedOutput } from '../../domain/proof/output.ts';
import { disagreeing, sentenceOf } from '../../domain/proof/rpc-words.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RpcProblem, SeenRpcTrouble } from '../../ports/rpc-trouble.ts';
import type { RpcFailure } from './rpc-trouble.ts';
import type { Troubled } from './troubled-rpcs.ts';

/** Within this time, an RPC that lags behind catches up. */
const LASTING_MS = 60_000;
/**
 * Longer than the time between two inspections of a payment: by then the RPC's trouble is over, or the payment is no longer
 * inspected.
 */
const FORGOTTEN_MS = 7_200_000;
const MOST_OUTPUTS = 1_000;

const PROBLEMS: Readonly<Partial<Record<RpcFailure, RpcProblem>>> = {
  wrong_chain: 'disagrees',
  rpc_stuck: 'stuck',
};

interface Seen extends Omit<SeenRpcTrouble, 'chainId'> {
  readonly at: Date;
}

/** Remembers the RPCs of a chain that are stuck or disagree with the other RPCs, until they recover. */
export class RpcWatch {
  private readonly rpcs = new Map<string, Seen>();
  private readonly outputs = new Map<string, Seen>();

  constructor(
    private readonly chainId: number,
    private readonly clock: Clock,
    private readonly onDisagreed: (rpc: string) => void,
  ) {}

  answered(rpc: string): void {
    this.rpcs.delete(rpc);
  }

  failed({ host: rpc, trouble: { failure, message } }: Troubled): void {
    const problem = PROBLEMS[failure];
    if (problem === undefined) return;
    const at = this.clock.now();
    const before = this.rpcs.get(rpc);
    const since = before?.problem === problem ? before.since : at;
    const detail = `Of chain ${this.chainId}, ${rpc} ${message}.`;
    this.rpcs.set(rpc, { problem, rpcs: [rpc], detail, since, at });
  }

  /** Takes the answers of all RPCs about one output. */
  compared(output: PromisedOutput, answers: readonly OutputAnswer[], isAgreed: boolean): void {
    const { token, recipient, leastAmount, since: madeAt, txHashes } = output;
    const key = [token, recipient, leastAmount, madeAt.getTime(), ...txHashes].join(' ');
    const rpcs = isAgreed ? [] : disagreeing(answers);
    const since = this.outputs.get(key)?.since;
    this.outputs.delete(key);
    if (rpcs.length === 0) return;
    for (const rpc of rpcs) this.onDisagreed(rpc);
    const at = this.clock.now();
    const detail = `On chain ${this.chainId}, of one payment: ${sentenceOf(answers)}`;
    this.outputs.set(key, { problem: 'disagrees', rpcs, detail, since: since ?? at, at });
    const [oldest] = this.outputs.keys();
    if (this.outputs.size > MOST_OUTPUTS && oldest !== undefined) this.outputs.delete(oldest);
  }

  /** One entry for each stuck RPC, and for each set of RPCs that disagree. */
  troubles(): SeenRpcTrouble[] {
    const now = this.clock.now().getTime();
    const isRecent = ({ at }: Seen): boolean => now - at.getTime() < FORGOTTEN_MS;
    const lasting = [...this.outputs.values()].filter(({ since }) => now - since.getTime() >= LASTING_MS);
    const bySet = new Map(lasting.filter(isRecent).map((seen) => [seen.rpcs.join(' '), seen]));
    return [...[...this.rpcs.values()].filter(isRecent), ...bySet.values()].map(({ at: _at, ...seen }) => ({
      chainId: this.chainId,
      ...seen,
    }));
  }
}
