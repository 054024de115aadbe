import { Logger } from '@nestjs/common';

import { agree } from '../domain/proof/agree.ts';
import { inconclusive } from '../domain/proof/judge-output.ts';
import type { DepositAnswer, OutputAnswer, PromisedOutput, WatchedDeposit } from '../domain/proof/output.ts';
import { chainIdCheck, checksOf, foundBySearch } from '../domain/proof/output-checks.ts';
import { TookTooLong, within } from '../platform/scheduling/within.ts';
import type { Clock } from '../ports/clock.ts';
import type { Timers } from '../ports/timers.ts';
import { inspectDeposit } from './evm/inspect-deposit.ts';
import type { EvmNode } from './evm/evm-node.ts';
import { isAddress } from './evm/hexadecimal.ts';
import { inspectAgain, inspectNamed, readableHashes } from './evm/inspect-named.ts';
import { decimalsOf } from './evm/questions.ts';
import { RpcTrouble } from './rpc/rpc-trouble.ts';
import { searchOutput } from './evm/search-output.ts';

/** The longest inspection, however slowly an RPC answers. */
const INSPECTION_MS = 45_000;
const SLOW_AGAIN_MS = 60_000;
const DEPOSIT_AGAIN_MS = 60_000;
const LOG_AGAIN_MS = 300_000;
/** How long a provider may name a transaction before the chain has it. */
const UNKNOWN_FOR_MS = 600_000;

function unreadable(answer: OutputAnswer, { txHashes }: PromisedOutput): OutputAnswer {
  const askAgainMs = 'askAgainMs' in answer ? answer.askAgainMs : null;
  const detail = `${txHashes.join(', ')} is no transaction's hash of this chain, and no transfer was found.`;
  const checks = checksOf({ receipt: { passed: null, detail } });
  return inconclusive('unreadable_hash', askAgainMs, { source: answer.sources[0] ?? null, checks });
}

/** The result of asking one RPC: an answer, or why there is none. */
type Inspected<T> = { readonly answer: T } | { readonly trouble: RpcTrouble };

/** One chain with its RPCs, of which each is asked alone: all that answer must agree. */
export class EvmChain {
  private readonly log = new Logger('ChainWitness');
  private readonly loggedAt = new Map<string, number>();

  constructor(
    readonly chainId: number,
    readonly nodes: readonly EvmNode[],
    private readonly clock: Clock,
    private readonly timers: Timers,
  ) {}

  async inspectOutput(output: PromisedOutput): Promise<OutputAnswer> {
    const nothing = { source: null, checks: checksOf({}) };
    if (!isAddress(output.recipient) || (output.token !== null && !isAddress(output.token)))
      return inconclusive('unreadable_address', null, nothing);
    const answer = await this.askEach((node) => this.inspect(node, output));
    // A hash that no RPC knows after ten minutes may be wrong.
    const isUnknown = answer.state === 'inconclusive' && answer.reason === 'not_found';
    if (!isUnknown || (output.namedForMs ?? 0) < UNKNOWN_FOR_MS) return answer;
    const found = await this.askEach((node) => searchOutput(node, output, this.clock.now()));
    return found.state === 'proven' ? foundBySearch(found, output.txHashes) : answer;
  }

  /** One answer of all RPCs. */
  private async askEach(inspect: (node: EvmNode) => Promise<OutputAnswer>): Promise<OutputAnswer> {
    const nothing = { source: null, checks: checksOf({}) };
    const inspections = await this.ofEach(inspect);
    const answers = inspections.flatMap((inspected) => ('answer' in inspected ? [inspected.answer] : []));
    const troubles = inspections.flatMap((inspected) => ('trouble' in inspected ? [inspected.trouble] : []));
    const [first, ...others] = answers;
    if (first !== undefined) return agree([first, ...others]);
    const wrong = troubles.find(({ failure }) => failure === 'wrong_chain');
    if (wrong !== undefined)
      return inconclusive('wrong_chain', wrong.askAgainMs, {
        ...nothing,
        checks: checksOf(chainIdCheck(this.chainId, false)),
      });
    const [soonest] = troubles.toSorted((one, other) => one.askAgainMs - other.askAgainMs);
    return inconclusive(soonest?.failure ?? 'rpc_away', soonest?.askAgainMs ?? SLOW_AGAIN_MS, nothing);
  }

  async inspectDeposit(deposit: WatchedDeposit): Promise<DepositAnswer> {
    if (!isAddress(deposit.depositAddress)) return { deposit: null, askAgainMs: null };
    const inspections = await this.ofEach((node) => inspectDeposit(node, deposit, this.clock.now()));
    const answers = inspections.flatMap((inspected) => ('answer' in inspected ? [inspected.answer] : []));
    const [first, ...others] = answers;
    if (first === undefined) return { deposit: null, askAgainMs: DEPOSIT_AGAIN_MS };
    const isAgreed = others.every(
      (other) =>
        other.deposit?.txHash === first.deposit?.txHash &&
        other.deposit?.blockHash === first.deposit?.blockHash,
    );
    return isAgreed ? first : { deposit: null, askAgainMs: DEPOSIT_AGAIN_MS };
  }

  /** The answer of `decimals()` of a token's contract; null: no contract has the address, or the RPCs do not agree. Throws where none answers. */
  async readDecimals(token: string): Promise<number | null> {
    if (!isAddress(token)) return null;
    const inspections = await this.ofEach(async (node) => {
      const [decimals] = await node.ask(decimalsOf(token));
      return decimals;
    });
    const [first, ...others] = inspections.flatMap((each) => ('answer' in each ? [each.answer] : []));
    if (first === undefined) throw new Error(`no RPC of chain ${this.chainId} answers`);
    return others.every((other) => other === first) ? first : null;
  }

  private async inspect(node: EvmNode, output: PromisedOutput): Promise<OutputAnswer> {
    const now = this.clock.now();
    if (output.provenBy !== undefined && output.provenBy !== null)
      return inspectAgain(node, output, output.provenBy, now);
    const [named, ...more] = readableHashes(output);
    if (named !== undefined) return inspectNamed(node, output, [named, ...more], now);
    const found = await searchOutput(node, output, now);
    if (output.txHashes.length === 0) return found;
    return found.state === 'proven' ? foundBySearch(found, output.txHashes) : unreadable(found, output);
  }

  private ofEach<T>(inspect: (node: EvmNode) => Promise<T>): Promise<Inspected<T>[]> {
    return Promise.all(
      this.nodes.map(async (node): Promise<Inspected<T>> => {
        try {
          return { answer: await within(INSPECTION_MS, this.timers, inspect(node)) };
        } catch (error) {
          const trouble =
            error instanceof TookTooLong
              ? new RpcTrouble('rpc_away', 'answers too slowly', SLOW_AGAIN_MS)
              : error;
          if (!(trouble instanceof RpcTrouble)) throw error;
          this.warn(node.host, trouble);
          return { trouble };
        }
      }),
    );
  }

  /** One line for each RPC in five minutes, without its URL, which may hold a key. */
  private warn(host: string, { failure, message }: RpcTrouble): void {
    const now = this.timers.nowMs();
    if (failure === 'rpc_held' || now - (this.loggedAt.get(host) ?? -Infinity) < LOG_AGAIN_MS) return;
    this.loggedAt.set(host, now);
    this.log.warn(
      `The RPC ${host} of chain ${this.chainId} ${failure === 'rpc_away' ? `can't be used: ${message}` : message}`,
    );
  }
}
