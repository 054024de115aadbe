import { inconclusive } from '../../domain/proof/judge-output.ts';
import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import { checksOf, foundBySearch } from '../../domain/proof/output-checks.ts';
import type { ChainReader, ReaderOptions } from '../rpc/chain-adapter.ts';
import type { RpcFinding } from '../rpc/rpc-finding.ts';
import type { EvmNode } from './evm-node.ts';
import { inspectDeposit } from './inspect-deposit.ts';
import { inspectAgain, inspectNamed, readableHashes } from './inspect-named.ts';
import { decimalsOf } from './questions.ts';
import { examineRpc } from './rpc-exam.ts';
import { searchOutput } from './search-output.ts';

/** Reads a chain through Ethereum's JSON-RPC. */
export class EvmReader implements ChainReader {
  constructor(
    private readonly node: EvmNode,
    private readonly options: Pick<ReaderOptions, 'chainId'>,
  ) {}

  get host(): string {
    return this.node.host;
  }

  get movingAtMs(): number {
    return this.node.movingAtMs;
  }

  async inspectOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer> {
    const { provenBy = null } = output;
    const [named, ...more] = readableHashes(output);
    if (provenBy !== null) {
      const again = await inspectAgain(this.node, output, provenBy, now);
      const isNamed = output.txHashes.length === 0 || [named, ...more].includes(provenBy.txHash);
      return isNamed || again.state !== 'proven' ? again : { ...again, isSearched: true };
    }
    if (named !== undefined) return inspectNamed(this.node, output, [named, ...more], now);
    const found = await searchOutput(this.node, output, now);
    if (output.txHashes.length === 0) return found;
    return found.state === 'proven' ? foundBySearch(found, output.txHashes) : unreadable(found, output);
  }

  searchOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer> {
    return searchOutput(this.node, output, now);
  }

  inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]> {
    return inspectDeposit(this.node, deposit);
  }

  async readDecimals(token: string): Promise<number | null> {
    const [decimals] = await this.node.ask(decimalsOf(token));
    return decimals;
  }

  seesCoin(): Promise<boolean> {
    return this.node.coin.isShown();
  }

  checkChain(): Promise<void> {
    return this.node.checkChain();
  }

  examine(now: Date): Promise<RpcFinding[]> {
    return examineRpc(this.node, this.options.chainId, now);
  }
}

function unreadable(answer: OutputAnswer, { txHashes }: PromisedOutput): OutputAnswer {
  const askAgainMs = 'askAgainMs' in answer ? answer.askAgainMs : null;
  const detail = `${txHashes.join(', ')} is no transaction's hash of this chain, and no transfer was found.`;
  const checks = checksOf({ receipt: { passed: null, detail } });
  return inconclusive('unreadable_hash', askAgainMs, { source: answer.sources[0] ?? null, checks });
}
