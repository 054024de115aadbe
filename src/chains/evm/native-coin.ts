import type { PromisedOutput } from '../../domain/proof/output.ts';
import type { ShownCoin, ShownReceipt } from '../../domain/proof/shown.ts';
import { type RpcFinding, tried } from '../rpc/rpc-finding.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { blockShowsCoin, coinOf, transactionIn } from './coin-of.ts';
import { balanceAt } from './questions.ts';

/** How far back balances are worth to be kept: as deep as a final block may be. */
const BALANCE_BLOCKS = 1_000;

/** How nodes show the native coin, of which no log tells. */
export interface CoinReader {
  /** False: a deposit is found by its transaction alone. */
  readonly hasOldBalances: boolean;
  /** False: the node is known to lack what the other methods ask. Never throws. */
  isShown(): Promise<boolean>;
  /** The coin that a transaction in a block itself pays. */
  paidBy(receipt: ShownReceipt): Promise<Pick<ShownCoin, 'to' | 'value'>>;
  /** The coin that it brought to the recipient, and what its block brought where a contract ran. */
  coinOf(output: PromisedOutput, receipt: ShownReceipt): Promise<ShownCoin>;
  /** True where the block shows what the transaction alone does not. */
  blockShows(output: PromisedOutput, receipt: ShownReceipt): Promise<boolean>;
  /** Asks for all that it needs of the node, with an address that gets few transfers. */
  examine(head: number, address: string): Promise<RpcFinding>;
}

/** The coin of Ethereum's siblings: transactions say what they pay, and balances of old blocks what contracts paid. */
export class NativeCoin implements CoinReader {
  readonly hasOldBalances = true;

  constructor(private readonly rpc: Pick<Rpc, 'ask'>) {}

  isShown(): Promise<boolean> {
    return Promise.resolve(true);
  }

  paidBy(receipt: ShownReceipt): Promise<Pick<ShownCoin, 'to' | 'value'>> {
    return transactionIn(this.rpc, receipt);
  }

  coinOf(output: PromisedOutput, receipt: ShownReceipt): Promise<ShownCoin> {
    return coinOf(this.rpc, output, receipt);
  }

  blockShows(output: PromisedOutput, receipt: ShownReceipt): Promise<boolean> {
    return blockShowsCoin(this.rpc, output, receipt);
  }

  examine(head: number, address: string): Promise<RpcFinding> {
    return tried('old balances', async () => {
      const [amount] = await this.rpc.ask(balanceAt(address, Math.max(head - BALANCE_BLOCKS, 0)));
      const detail =
        amount === null
          ? `not kept for ${BALANCE_BLOCKS} blocks: coins through contracts may stay unproven`
          : `kept for ${BALANCE_BLOCKS} blocks`;
      return { isGood: amount !== null, isEssential: false, detail };
    });
  }
}
