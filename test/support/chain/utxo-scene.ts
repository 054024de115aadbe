import { Litecoind } from '../../../tools/testkit/litecoind.ts';
import { LitecoinWallet } from '../../../tools/testkit/litecoin-wallet.ts';
import type { Coin } from '../../../tools/testkit/raw-transaction.ts';
import { LITECOIN } from '../../../tools/utxo-stand-in/addresses.ts';
import { BlockExplorer, type Speech } from '../../../tools/utxo-stand-in/block-explorer.ts';
import { ViewedChain } from '../../../tools/utxo-stand-in/chain-view.ts';
import { newRecipient } from './utxo-recipients.ts';

/** A thousandth of a litecoin. */
export const LEAST = 100_000n;
/** Blocks from which a transfer is final. */
export const FINAL = 12;
const RIVAL_FEE = 90_000n;
const FIRST_MS = 5 * 3_600_000;

/** A chain with one server of each interface in front of it. */
export class UtxoScene {
  private constructor(
    readonly node: Litecoind,
    readonly wallet: LitecoinWallet,
    readonly chain: ViewedChain,
    readonly servers: Readonly<Record<Speech, BlockExplorer>>,
  ) {}

  /** Its blocks are five hours old, so that the next ones may be stamped with any later time. */
  static async open(path: string): Promise<UtxoScene> {
    const node = await Litecoind.start(path);
    const wallet = await LitecoinWallet.open(node, FIRST_MS);
    const chain = new ViewedChain(node);
    // Servers have their interface below a path, or not.
    const esplora = await BlockExplorer.before(chain, 'esplora', LITECOIN, '/api');
    const blockbook = await BlockExplorer.before(chain, 'blockbook');
    return new UtxoScene(node, wallet, chain, { esplora, blockbook });
  }

  pay(script: string, value = LEAST): Promise<string> {
    return this.wallet.send([{ script, value }]);
  }

  /** Pays in a block, and mines the others that make it final. */
  async paid(script: string, value = LEAST): Promise<string> {
    const txid = await this.pay(script, value);
    await this.node.mine(FINAL);
    return txid;
  }

  /** Pays, and signs a rival for later: it pays another with the same coins, and a higher fee. */
  async payWithRival(script: string): Promise<{ txid: string; rival: string; coins: readonly Coin[] }> {
    const coins = [this.wallet.coin()];
    const elsewhere = [{ script: newRecipient().script, value: LEAST }];
    const rival = await this.wallet.sign(elsewhere, { coins, fee: RIVAL_FEE });
    return { txid: await this.wallet.send([{ script, value: LEAST }], { coins }), rival, coins };
  }

  /** Goes back over the newest blocks, and mines as many others and `more`, all of them without a transaction. */
  async takeBack(blocks: number, more = 0): Promise<void> {
    const { number } = await this.node.head();
    await this.node.takeBack(await this.node.call<string>('getblockhash', number - blocks + 1));
    for (let n = 0; n < blocks + more; n += 1) await this.node.mineOnly();
  }

  /** The servers answer truly again. Returns the questions that nothing documents. */
  recover(): string[] {
    const servers = Object.values(this.servers);
    for (const server of servers) server.recover();
    this.chain.values.clear();
    return servers.flatMap(({ strange }) => strange.splice(0));
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.servers).map((server) => server.close()));
    await this.node.stop();
  }
}
