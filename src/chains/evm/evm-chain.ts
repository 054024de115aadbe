import { Logger } from '@nestjs/common';

import { agree } from '../../domain/proof/agree.ts';
import { inconclusive } from '../../domain/proof/judge-output.ts';
import type {
  DepositAnswer,
  OutputAnswer,
  PromisedOutput,
  WatchedDeposit,
} from '../../domain/proof/output.ts';
import { chainIdCheck, checksOf } from '../../domain/proof/output-checks.ts';
import { TookTooLong, within } from '../../platform/scheduling/within.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { lookAtDeposit } from './deposit-look.ts';
import type { EvmNode } from './evm-node.ts';
import { isAddress } from './hexadecimal.ts';
import { lookAgain, lookAtNamed } from './named-look.ts';
import { RpcTrouble } from './rpc-trouble.ts';
import { searchOutput } from './search-look.ts';

/** The longest look, however slowly an RPC answers. */
const LOOK_MS = 45_000;
const SLOW_AGAIN_MS = 60_000;
const DEPOSIT_AGAIN_MS = 60_000;
const LOG_AGAIN_MS = 300_000;

/** The result of asking one RPC: an answer, or why there is none. */
type Looked<T> = { readonly answer: T } | { readonly trouble: RpcTrouble };

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

  async lookForOutput(output: PromisedOutput): Promise<OutputAnswer> {
    const nothing = { source: null, checks: checksOf({}) };
    if (!isAddress(output.recipient) || (output.token !== null && !isAddress(output.token)))
      return inconclusive('unreadable_address', null, nothing);
    const looks = await this.ofEach((node) => this.look(node, output));
    const answers = looks.flatMap((looked) => ('answer' in looked ? [looked.answer] : []));
    const troubles = looks.flatMap((looked) => ('trouble' in looked ? [looked.trouble] : []));
    const wrong = troubles.find(({ failure }) => failure === 'wrong_chain');
    if (wrong !== undefined)
      return inconclusive('wrong_chain', wrong.askAgainMs, {
        ...nothing,
        checks: checksOf(chainIdCheck(this.chainId, false)),
      });
    const [first, ...others] = answers;
    if (first !== undefined) return agree([first, ...others]);
    const [soonest] = troubles.toSorted((one, other) => one.askAgainMs - other.askAgainMs);
    return inconclusive(soonest?.failure ?? 'rpc_away', soonest?.askAgainMs ?? SLOW_AGAIN_MS, nothing);
  }

  async lookForDeposit(deposit: WatchedDeposit): Promise<DepositAnswer> {
    if (!isAddress(deposit.depositAddress)) return { deposit: null, askAgainMs: null };
    const looks = await this.ofEach((node) => lookAtDeposit(node, deposit, this.clock.now()));
    const answers = looks.flatMap((looked) => ('answer' in looked ? [looked.answer] : []));
    const [first, ...others] = answers;
    if (
      first === undefined ||
      looks.some((looked) => 'trouble' in looked && looked.trouble.failure === 'wrong_chain')
    )
      return { deposit: null, askAgainMs: DEPOSIT_AGAIN_MS };
    const isAgreed = others.every(
      (other) =>
        other.deposit?.txHash === first.deposit?.txHash &&
        other.deposit?.blockHash === first.deposit?.blockHash,
    );
    return isAgreed ? first : { deposit: null, askAgainMs: DEPOSIT_AGAIN_MS };
  }

  private async look(node: EvmNode, output: PromisedOutput): Promise<OutputAnswer> {
    const now = this.clock.now();
    if (output.provenBy !== undefined && output.provenBy !== null)
      return lookAgain(node, output, output.provenBy, now);
    return output.txHashes.length === 0 ? searchOutput(node, output, now) : lookAtNamed(node, output, now);
  }

  private ofEach<T>(look: (node: EvmNode) => Promise<T>): Promise<Looked<T>[]> {
    return Promise.all(
      this.nodes.map(async (node): Promise<Looked<T>> => {
        try {
          return { answer: await within(LOOK_MS, this.timers, look(node)) };
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
