import { inconclusive } from '../../domain/proof/judge-output.ts';
import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../../domain/proof/output.ts';
import { checksOf, foundBySearch } from '../../domain/proof/output-checks.ts';
import type { ChainReader } from '../rpc/chain-adapter.ts';
import type { RpcFinding } from '../rpc/rpc-finding.ts';
import { inspectDeposit } from './inspect-deposit.ts';
import { inspectAgain, inspectNamed, readableHashes } from './inspect-named.ts';
import { searchOutput } from './search-output.ts';
import { examineServer } from './utxo-exam.ts';
import type { UtxoNode } from './utxo-node.ts';

/** Reads a chain of outputs through an HTTP interface. */
export class UtxoReader implements ChainReader {
  constructor(
    private readonly node: UtxoNode,
    private readonly chainId: number,
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
    const found = await this.searchOutput(output, now);
    if (output.txHashes.length === 0) return found;
    return found.state === 'proven' ? foundBySearch(found, output.txHashes) : unreadable(found, output);
  }

  async searchOutput(output: PromisedOutput, now: Date): Promise<OutputAnswer> {
    return (await searchOutput(this.node, output, now)).answer;
  }

  inspectDeposit(deposit: WatchedDeposit): Promise<readonly SeenDeposit[]> {
    return inspectDeposit(this.node, deposit);
  }

  /** These chains have no tokens. */
  readDecimals(): Promise<null> {
    return Promise.resolve(null);
  }

  seesCoin(): Promise<boolean> {
    return Promise.resolve(true);
  }

  checkChain(): Promise<void> {
    return this.node.checkChain();
  }

  examine(now: Date): Promise<RpcFinding[]> {
    return examineServer(this.node, this.chainId, now);
  }
}

function unreadable(answer: OutputAnswer, { txHashes }: PromisedOutput): OutputAnswer {
  const askAgainMs = 'askAgainMs' in answer ? answer.askAgainMs : null;
  const detail = `${txHashes.join(', ')} is no transaction's hash of this chain, and no output was found.`;
  const checks = checksOf({ receipt: { passed: null, detail } });
  return inconclusive('unreadable_hash', askAgainMs, { source: answer.sources[0] ?? null, checks });
}
