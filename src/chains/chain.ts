import { Logger } from '@nestjs/common';

import { agree } from '../domain/proof/agree.ts';
import { inconclusive } from '../domain/proof/judge-output.ts';
import { agreedDeposits } from '../domain/proof/deposits.ts';
import type { OutputAnswer, PromisedOutput, SeenDeposit, WatchedDeposit } from '../domain/proof/output.ts';
import { foundBySearch, resultsAlone } from '../domain/proof/output-checks.ts';
import { wordsOf } from '../domain/proof/rpc-words.ts';
import { TookTooLong, within } from '../platform/scheduling/within.ts';
import type { Clock } from '../ports/clock.ts';
import type { Timers } from '../ports/timers.ts';
import type { SeenRpcTrouble } from '../ports/rpc-trouble.ts';
import type { ChainReader, Spelling } from './rpc/chain-adapter.ts';
import type { RpcConnection } from './rpc/rpc-connection.ts';
import { RpcTrouble } from './rpc/rpc-trouble.ts';
import { RpcWatch } from './rpc/rpc-watch.ts';
import { naming, said, type Troubled, unanswered } from './rpc/troubled-rpcs.ts';
import { readDeposit, readOutput, shownDeposits, shownOutput } from './spelled.ts';

/** The longest inspection, however slowly an RPC answers. */
const INSPECTION_MS = 45_000;
/** The longest question for the chain: two inspections and two such questions fit into the lease of a payment. */
const CHAIN_MS = 10_000;
const SLOW_AGAIN_MS = 60_000;
const LOG_AGAIN_MS = 300_000;
/** How long a provider may name a transaction before the chain has it. */
const UNKNOWN_FOR_MS = 600_000;

/** The result of asking one RPC: an answer, or the reason why there is none. */
type Inspected<T> = { readonly answer: T; readonly reader: ChainReader } | Troubled;

export interface ChainOptions {
  readonly chainId: number;
  readonly readers: readonly ChainReader[];
  /** The connections of the readers. */
  readonly connections: readonly Pick<RpcConnection, 'close'>[];
  readonly spelling: Spelling;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called with the name of an RPC that differs from the others. */
  readonly onDisagreed: (host: string) => void;
}

/** One chain with its RPCs. Paybell asks each RPC independently, and all answers must agree. */
export class Chain {
  private readonly log = new Logger('ChainWitness');
  private readonly loggedAt = new Map<string, number>();

  private readonly watch: RpcWatch;

  constructor(private readonly options: ChainOptions) {
    this.watch = new RpcWatch(options.chainId, options.clock, options.onDisagreed);
  }

  get chainId(): number {
    return this.options.chainId;
  }

  /** True if an RPC shows the native coin, or may do so. */
  async seesCoin(): Promise<boolean> {
    return (await Promise.all(this.options.readers.map((reader) => reader.seesCoin()))).some(Boolean);
  }

  async inspectOutput(promised: PromisedOutput): Promise<OutputAnswer> {
    const output = readOutput(this.options.spelling, promised);
    if (output === null) {
      const recipient = { passed: null, detail: 'The chain has no such address, or no such token.' };
      const checks = resultsAlone({ recipient });
      return inconclusive('unreadable_address', null, { source: null, checks });
    }
    return shownOutput(this.options.spelling, await this.inspect(output));
  }

  private async inspect(output: PromisedOutput): Promise<OutputAnswer> {
    const { clock } = this.options;
    const answer = await this.askEach(output, (reader) => reader.inspectOutput(output, clock.now()));
    // A hash that no RPC knows after ten minutes may be wrong.
    const isUnknown = answer.state === 'inconclusive' && answer.reason === 'not_found';
    if (!isUnknown || (output.namedForMs ?? 0) < UNKNOWN_FOR_MS) return answer;
    const searched = { ...output, txHashes: [] };
    const found = await this.askEach(searched, (reader) => reader.searchOutput(output, clock.now()));
    return found.state === 'proven' ? foundBySearch(found, output.txHashes) : answer;
  }

  /** Combines the answers of all RPCs into one. */
  private async askEach(
    output: PromisedOutput,
    inspect: (reader: ChainReader) => Promise<OutputAnswer>,
  ): Promise<OutputAnswer> {
    const inspections = await this.ofEach(inspect, wordsOf);
    const answers = inspections.flatMap((inspected) => ('answer' in inspected ? [inspected.answer] : []));
    const troubled = inspections.flatMap((inspected) => ('trouble' in inspected ? [inspected] : []));
    const [first, ...others] = answers;
    if (first === undefined) return unanswered(this.chainId, troubled);
    const agreed = agree([first, ...others]);
    this.watch.compared(output, answers, agreed.state !== 'inconclusive');
    return { ...agreed, checks: naming(agreed.checks, troubled) };
  }

  async inspectDeposit(watched: WatchedDeposit): Promise<readonly SeenDeposit[]> {
    const { spelling } = this.options;
    const deposit = readDeposit(spelling, watched);
    if (deposit === null) return [];
    const inspections = await this.ofEach(
      (reader) => reader.inspectDeposit(deposit),
      (seen) => seen.map(({ txHash }) => txHash).join(' '),
    );
    const answers = inspections.flatMap((inspected) => ('answer' in inspected ? [inspected.answer] : []));
    return shownDeposits(spelling, watched, agreedDeposits(answers));
  }

  /**
   * Reads `decimals()` of a token's contract; null: no contract has the address, or the RPCs disagree. Throws if none
   * answers.
   */
  async readDecimals(text: string): Promise<number | null> {
    const token = this.options.spelling.addressOf(text);
    if (token === null) return null;
    const inspections = await this.ofEach((reader) => reader.readDecimals(token), String);
    const [first, ...others] = inspections.flatMap((each) => ('answer' in each ? [each.answer] : []));
    if (first === undefined) throw new Error(`no RPC of chain ${this.chainId} answers`);
    return others.every((other) => other === first) ? first : null;
  }

  troubles(): SeenRpcTrouble[] {
    return this.watch.troubles();
  }

  async close(): Promise<void> {
    await Promise.all(this.options.connections.map((connection) => connection.close()));
  }

  /** Asks each RPC. `wordsFor` gives answers that agree the same text. */
  private async ofEach<T>(
    inspect: (reader: ChainReader) => Promise<T>,
    wordsFor: (answer: T) => string,
  ): Promise<Inspected<T>[]> {
    const { readers } = this.options;
    const all = await Promise.all(readers.map(async (reader) => this.of(reader, inspect)));
    const said = new Set(all.flatMap((each) => ('answer' in each ? [wordsFor(each.answer)] : [])));
    return said.size < 2 ? all : Promise.all(all.map(async (each) => this.onChain(each)));
  }

  /** An RPC may have changed its chain since it was last asked for it: then its answer does not count. */
  private async onChain<T>(inspected: Inspected<T>): Promise<Inspected<T>> {
    if ('trouble' in inspected) return inspected;
    const checked = await this.of(inspected.reader, (reader) => reader.checkChain(), CHAIN_MS);
    return 'trouble' in checked && checked.trouble.failure === 'wrong_chain' ? checked : inspected;
  }

  private async of<T>(
    reader: ChainReader,
    inspect: (reader: ChainReader) => Promise<T>,
    withinMs = INSPECTION_MS,
  ): Promise<Inspected<T>> {
    const { timers } = this.options;
    try {
      const startedAtMs = timers.nowMs();
      const answer = await within(withinMs, timers, inspect(reader));
      if (reader.movingAtMs >= startedAtMs) this.watch.answered(reader.host);
      return { answer, reader };
    } catch (error) {
      const trouble =
        error instanceof TookTooLong
          ? new RpcTrouble('rpc_away', 'answers too slowly', SLOW_AGAIN_MS)
          : error;
      if (!(trouble instanceof RpcTrouble)) throw error;
      const troubled = { trouble, host: reader.host };
      this.watch.failed(troubled);
      this.warn(troubled);
      return troubled;
    }
  }

  /** Logs one line for each RPC in five minutes, without the URL, which may contain a key. */
  private warn(troubled: Troubled): void {
    const { host, trouble } = troubled;
    const now = this.options.timers.nowMs();
    if (trouble.failure === 'rpc_held' || now - (this.loggedAt.get(host) ?? -Infinity) < LOG_AGAIN_MS) return;
    this.loggedAt.set(host, now);
    this.log.warn(`Of chain ${this.chainId}, the RPC ${said(troubled)}`);
  }
}
