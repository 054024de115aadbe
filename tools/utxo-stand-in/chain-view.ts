import type { Litecoind } from '../testkit/litecoind.ts';
import { satsOf } from '../testkit/litecoind.ts';

export interface ViewedOutput {
  readonly n: number;
  readonly script: string;
  readonly value: bigint;
}

export interface ViewedInput {
  readonly txid: string;
  readonly vout: number;
  readonly sequence: number;
  readonly scriptSig: string;
  readonly witness: readonly string[];
  /** The data of a new coin; null: the input spends an output. */
  readonly coinbase: string | null;
}

export interface ViewedTransaction {
  readonly txid: string;
  readonly version: number;
  readonly locktime: number;
  readonly size: number;
  readonly weight: number;
  readonly hex: string;
  readonly inputs: readonly ViewedInput[];
  readonly outputs: readonly ViewedOutput[];
}

export interface ViewedBlock {
  readonly hash: string;
  readonly height: number;
  readonly time: number;
  readonly mediantime: number;
  readonly previous: string | null;
  readonly transactions: readonly ViewedTransaction[];
}

/** A transaction and its block; null: the transaction is in the memory pool. */
export interface Placed {
  readonly transaction: ViewedTransaction;
  readonly block: ViewedBlock | null;
}

export interface Spender extends Placed {
  readonly input: number;
}

interface Decoded {
  readonly txid: string;
  readonly version: number;
  readonly locktime: number;
  readonly size: number;
  readonly weight: number;
  readonly hex: string;
  readonly vin: readonly {
    readonly coinbase?: string;
    readonly txid?: string;
    readonly vout?: number;
    readonly sequence: number;
    readonly scriptSig?: { readonly hex: string };
    readonly txinwitness?: readonly string[];
  }[];
  readonly vout: readonly {
    readonly n: number;
    readonly value: string;
    readonly scriptPubKey: { hex: string };
  }[];
}

interface DecodedBlock extends Omit<ViewedBlock, 'previous' | 'transactions'> {
  readonly previousblockhash?: string;
  readonly tx: readonly Decoded[];
}

/** One server's view of the chain at one time. Most look-ups pass over the whole chain: a test's chain is short. */
export class ChainView {
  /** The newest first. */
  private readonly all: readonly Placed[];
  private readonly byId: ReadonlyMap<string, Placed>;

  constructor(
    readonly blocks: readonly ViewedBlock[],
    readonly pool: readonly ViewedTransaction[],
  ) {
    const mined = blocks
      .toReversed()
      .flatMap((block) => block.transactions.toReversed().map((transaction) => ({ transaction, block })));
    this.all = [...pool.map((transaction) => ({ transaction, block: null })), ...mined];
    this.byId = new Map(this.all.map((placed) => [placed.transaction.txid, placed]));
  }

  get tip(): ViewedBlock {
    return this.blocks.at(-1) as ViewedBlock;
  }

  /** The view of a server that is this many blocks behind. */
  behind(blocks: number): ChainView {
    if (blocks === 0) return this;
    const hidden = this.blocks.slice(-blocks).flatMap(({ transactions }) => transactions.slice(1));
    return new ChainView(this.blocks.slice(0, -blocks), [...this.pool, ...hidden]);
  }

  withoutPool(): ChainView {
    return new ChainView(this.blocks, []);
  }

  blockOf(hash: string): ViewedBlock | null {
    return this.blocks.find((block) => block.hash === hash) ?? null;
  }

  placed(txid: string): Placed | null {
    return this.byId.get(txid) ?? null;
  }

  /** The transactions that pay a script, or spend its coins, those of the memory pool first. */
  ofScript(script: string): Placed[] {
    return this.all.filter(({ transaction: { inputs, outputs } }) => {
      if (outputs.some((output) => output.script === script)) return true;
      return inputs.some((input) => this.spentBy(input)?.script === script);
    });
  }

  /** The output that an input spends; null: a new coin, or the transaction is not there. */
  spentBy({ coinbase, txid, vout }: ViewedInput): ViewedOutput | null {
    return coinbase === null ? (this.placed(txid)?.transaction.outputs[vout] ?? null) : null;
  }

  spenderOf(txid: string, vout: number): Spender | null {
    for (const placed of this.all) {
      const input = placed.transaction.inputs.findIndex((each) => each.txid === txid && each.vout === vout);
      if (input >= 0) return { ...placed, input };
    }
    return null;
  }
}

/** Reads the chain from the node, and only what is new of it. */
export class ViewedChain {
  /** The false amounts of outputs by `txid:vout`. */
  readonly values = new Map<string, bigint>();
  private blocks: ViewedBlock[] = [];
  private pool = new Map<string, ViewedTransaction>();
  private reading: Promise<unknown> = Promise.resolve();

  constructor(readonly node: Litecoind) {}

  /** Reads the chain one call after another: two concurrent reads would add a block twice. */
  view(): Promise<ChainView> {
    const read = this.reading.then(() => this.read());
    this.reading = read.catch(() => undefined);
    return read;
  }

  /** A block that the chain has taken back is there too. */
  async anyBlock(hash: string): Promise<ViewedBlock | null> {
    return this.node.call<DecodedBlock>('getblock', hash, 2).then(
      (block) => this.blockFrom(block),
      () => null,
    );
  }

  private async read(): Promise<ChainView> {
    const added: ViewedBlock[] = [];
    let hash: string | null = await this.node.call<string>('getbestblockhash');
    while (hash !== null && !this.blocks.some((block) => block.hash === hash)) {
      added.push(this.blockFrom(await this.node.call<DecodedBlock>('getblock', hash, 2)));
      hash = added.at(-1)?.previous ?? null;
    }
    const kept = this.blocks.findIndex((block) => block.hash === hash) + 1;
    this.blocks = [...this.blocks.slice(0, kept), ...added.toReversed()];
    const waiting = await this.node.call<string[]>('getrawmempool');
    const pool = new Map<string, ViewedTransaction>();
    for (const txid of waiting) {
      const known = this.pool.get(txid);
      // The transaction may be mined or replaced meanwhile.
      const decoded =
        known ?? (await this.node.call<Decoded>('getrawtransaction', txid, true).catch(() => null));
      if (decoded !== null) pool.set(txid, known ?? this.transactionFrom(decoded as Decoded));
    }
    this.pool = pool;
    return new ChainView(this.blocks, [...pool.values()]);
  }

  private blockFrom({ tx, previousblockhash, ...block }: DecodedBlock): ViewedBlock {
    const transactions = tx.map((each) => this.transactionFrom(each));
    const { hash, height, time, mediantime } = block;
    return { hash, height, time, mediantime, previous: previousblockhash ?? null, transactions };
  }

  private transactionFrom({ vin, vout, ...of }: Decoded): ViewedTransaction {
    const { txid, version, locktime, size, weight, hex } = of;
    return {
      txid,
      version,
      locktime,
      size,
      weight,
      hex,
      inputs: vin.map((input) => ({
        txid: input.txid ?? '0'.repeat(64),
        vout: input.vout ?? 0xffff_ffff,
        sequence: input.sequence,
        scriptSig: input.scriptSig?.hex ?? '',
        witness: input.txinwitness ?? [],
        coinbase: input.coinbase ?? null,
      })),
      outputs: vout.map(({ n, value, scriptPubKey }) => ({
        n,
        script: scriptPubKey.hex,
        value: satsOf(value),
      })),
    };
  }
}
