import { Chain } from '../../../src/chains/chain.ts';
import { utxoAdapter } from '../../../src/chains/utxo/utxo-adapter.ts';
import type {
  HistoryPage,
  Outpoint,
  ShownInput,
  ShownOutput,
  ShownUtxoTransaction,
  UtxoApi,
} from '../../../src/chains/utxo/utxo-api.ts';
import { utxoChainOf } from '../../../src/chains/utxo/utxo-chains.ts';
import { UtxoNode } from '../../../src/chains/utxo/utxo-node.ts';
import { UtxoReader } from '../../../src/chains/utxo/utxo-reader.ts';
import { LITECOIN } from '../../../src/domain/chains/utxo-script.ts';
import type { PromisedOutput } from '../../../src/domain/proof/output.ts';
import type { ShownBlock } from '../../../src/domain/proof/shown.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { Clock } from '../../../src/ports/clock.ts';
import type { Timers } from '../../../src/ports/timers.ts';

/** The head of the chain, and the time of its block. */
export const HEAD = 1_000;
export const NOW = new Date('2026-11-30T12:00:00Z');
/** When the quote was made: 100 blocks before the head. */
export const QUOTED = 900;
const BLOCK_MS = 150_000;

export const SHOP =
  utxoAdapter(LITECOIN).spelling.addressOf('ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9') ?? '';
export const OTHER = `0014${'ab'.repeat(20)}`;

/** 64 digits that name a transaction or a block. */
export function hashNo(number: number): string {
  return number.toString(16).padStart(64, '0');
}

export function timeOf(blockNumber: number): Date {
  return new Date(NOW.getTime() - (HEAD - blockNumber) * BLOCK_MS);
}

export function spends(number: number, index = 0, script: string | null = OTHER): ShownInput {
  return { spends: { txHash: hashNo(number), index }, script };
}

/** A chain in memory, as one server shows it. */
export class UtxoChain implements UtxoApi {
  readonly transactions: ShownUtxoTransaction[] = [];
  readonly replaced = new Map<number, string>();
  readonly times = new Map<number, Date>();
  /** How the histories show a transaction otherwise, by its hash. */
  readonly listed = new Map<string, ShownUtxoTransaction>();
  pageSize = 25;
  /** Null: the server shows no such block. */
  genesis: string | null = utxoChainOf(LITECOIN).blocks[0]?.hash ?? '';
  newest = HEAD;
  asked: string[] = [];

  /** Adds a transaction; `block` null: it waits. */
  add(
    number: number,
    outputs: readonly (readonly [script: string, amount: bigint])[],
    options: { block?: number | null; inputs?: readonly ShownInput[]; isHidden?: boolean } = {},
  ): ShownUtxoTransaction {
    const { block = 990, inputs = [spends(number + 5_000)], isHidden = false } = options;
    const shown: ShownOutput[] = outputs.map(([script, amount], index) => ({ index, script, amount }));
    const made = { txHash: hashNo(number), inputs, outputs: shown, isHidden };
    const transaction = { ...made, block: block === null ? null : this.blockNo(block) };
    this.transactions.push(transaction);
    return transaction;
  }

  drop(number: number): void {
    const at = this.transactions.findIndex(({ txHash }) => txHash === hashNo(number));
    this.transactions.splice(at, 1);
  }

  head(): Promise<ShownBlock> {
    this.asked.push('head');
    return Promise.resolve(this.blockNo(this.newest));
  }

  blockHashAt(number: number): Promise<string | null> {
    this.asked.push('hash');
    if (number === 0) return Promise.resolve(this.genesis);
    return Promise.resolve(number > HEAD ? null : this.blockNo(number).hash);
  }

  blockAt(number: number): Promise<ShownBlock | null> {
    this.asked.push('block');
    return Promise.resolve(number > HEAD ? null : this.blockNo(number));
  }

  transaction(hash: string): Promise<ShownUtxoTransaction | null> {
    this.asked.push('transaction');
    return Promise.resolve(this.transactions.find(({ txHash }) => txHash === hash) ?? null);
  }

  historyOf(script: string, next: string | null): Promise<HistoryPage> {
    this.asked.push('history');
    const all = this.transactions
      .map((each) => this.listed.get(each.txHash) ?? each)
      .filter(
        ({ outputs, inputs, block }) =>
          block !== null && [...outputs, ...inputs].some((each) => each.script === script),
      )
      .toSorted((one, other) => (other.block?.number ?? 0) - (one.block?.number ?? 0));
    const from = Number(next ?? 0);
    const to = from + this.pageSize;
    return Promise.resolve({ transactions: all.slice(from, to), next: to < all.length ? String(to) : null });
  }

  spenderOf({ txHash, index }: Outpoint): Promise<string | null> {
    this.asked.push('spender');
    const spender = this.transactions.find(({ inputs }) =>
      inputs.some((each) => each.spends?.txHash === txHash && each.spends.index === index),
    );
    return Promise.resolve(spender?.txHash ?? null);
  }

  private blockNo(number: number): ShownBlock {
    const hash = this.replaced.get(number) ?? hashNo(1_000_000 + number);
    return { number, hash, at: this.times.get(number) ?? timeOf(number) };
  }
}

class FixedClock extends Clock {
  now(): Date {
    return NOW;
  }
}

export function readerOf(api: UtxoApi, host = 'one.example', timers: Timers = SYSTEM_TIMERS): UtxoReader {
  const options = {
    chainId: LITECOIN,
    host,
    needed: 6,
    clock: new FixedClock(),
    timers,
    onUnknownTag: () => undefined,
  };
  return new UtxoReader(new UtxoNode(api, utxoChainOf(LITECOIN), options), LITECOIN);
}

/** The chain that two servers show. */
export function chainOf(one: UtxoApi, two: UtxoApi, timers: Timers = SYSTEM_TIMERS): Chain {
  return new Chain({
    chainId: LITECOIN,
    readers: [readerOf(one, 'one.example', timers), readerOf(two, 'two.example', timers)],
    connections: [],
    spelling: utxoAdapter(LITECOIN).spelling,
    clock: new FixedClock(),
    timers,
    onDisagreed: () => undefined,
  });
}

/** 1,000 units for the shop. */
export function promisedCoin(fields: Partial<PromisedOutput> = {}): PromisedOutput {
  return {
    chainId: LITECOIN,
    token: null,
    recipient: SHOP,
    leastAmount: 1_000n,
    mostAmount: 2_000n,
    txHashes: [hashNo(1)],
    since: timeOf(QUOTED),
    ...fields,
  };
}
