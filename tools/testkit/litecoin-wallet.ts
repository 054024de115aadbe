import { type Litecoind, satsOf } from './litecoind.ts';
import { type Coin, type Output, unsigned } from './raw-transaction.ts';

const MATURE = 100;
/** How many coins of half a litecoin there are: a transaction spends one of them, or more for a larger sum. */
const COINBASES = 5;
const COINS_OF_EACH = 90;
const COIN_VALUE = 50_000_000n;
const FEE = 20_000n;

export interface Spent {
  /** Left out: coins that no other transaction spends, as many as the outputs take. */
  readonly coins?: readonly Coin[];
  readonly fee?: bigint;
  /** The script for the rest, after the outputs; left out: a script of the wallet. */
  readonly changeTo?: string;
}

interface Decoded {
  readonly vout: readonly { readonly value: string }[];
}

/** Money on a node, and the way to spend it in any form. */
export class LitecoinWallet {
  private readonly coins: Coin[] = [];

  private constructor(
    private readonly node: Litecoind,
    /** A script of the wallet, which gets the rest of what is spent. */
    readonly own: string,
  ) {}

  /** Mines the first coins. The blocks for this have a time `agoMs` ago, later blocks the present time. */
  static async open(node: Litecoind, agoMs = 0): Promise<LitecoinWallet> {
    await node.call('createwallet', 'w');
    if (agoMs > 0) await node.at(new Date(Date.now() - agoMs));
    const wallet = new LitecoinWallet(node, await newScript(node));
    await wallet.earn();
    await node.at(null);
    return wallet;
  }

  /** A coin that no other transaction spends. */
  coin(): Coin {
    const coin = this.coins.pop();
    if (coin === undefined) throw new Error('all coins are spent');
    return coin;
  }

  /** An output as a coin. */
  async coinOf(txid: string, vout: number): Promise<Coin> {
    const { vout: outputs } = await this.node.call<Decoded>('getrawtransaction', txid, true);
    return { txid, vout, value: satsOf(outputs[vout]?.value ?? '') };
  }

  /** A new script, whose coins the wallet can spend. */
  newScript(): Promise<string> {
    return newScript(this.node);
  }

  /** Signs a transaction, which is not sent. */
  async sign(
    outputs: readonly Output[],
    { coins, fee = FEE, changeTo = this.own }: Spent = {},
  ): Promise<string> {
    const paid = outputs.reduce((sum, { value }) => sum + value, 0n) + fee;
    const inputs = coins ?? this.coinsFor(paid);
    const rest = inputs.reduce((sum, { value }) => sum + value, 0n) - paid;
    if (rest < 0n) throw new Error('the coins are less than the outputs');
    const change = rest === 0n ? [] : [{ script: changeTo, value: rest }];
    const raw = unsigned(inputs, [...outputs, ...change]);
    const signed = await this.node.call<{ hex: string; complete: boolean }>(
      'signrawtransactionwithwallet',
      raw,
    );
    if (!signed.complete) throw new Error('the wallet does not own the coins');
    return signed.hex;
  }

  /** Sends a signed transaction; returns its id. */
  broadcast(signed: string): Promise<string> {
    return this.node.call('sendrawtransaction', signed, 0);
  }

  /** Signs and sends; returns the transaction's id. */
  async send(outputs: readonly Output[], spent: Spent = {}): Promise<string> {
    return this.broadcast(await this.sign(outputs, spent));
  }

  private coinsFor(value: bigint): Coin[] {
    const count = Number((value + COIN_VALUE - 1n) / COIN_VALUE);
    return Array.from({ length: count }, () => this.coin());
  }

  private async earn(): Promise<void> {
    const { node, own } = this;
    const mined = await node.mine(COINBASES);
    await node.mine(MATURE);
    for (const hash of mined) {
      const { tx } = await node.call<{ tx: string[] }>('getblock', hash, 1);
      const coins = [await this.coinOf(String(tx[0]), 0)];
      const outputs = Array.from({ length: COINS_OF_EACH }, () => ({ script: own, value: COIN_VALUE }));
      const txid = await this.send(outputs, { coins, fee: 1_000_000n });
      this.coins.push(...outputs.map(({ value }, vout) => ({ txid, vout, value })));
    }
    await node.mine();
  }
}

async function newScript(node: Litecoind): Promise<string> {
  const address = await node.call<string>('getnewaddress');
  return (await node.call<{ scriptPubKey: string }>('validateaddress', address)).scriptPubKey;
}
