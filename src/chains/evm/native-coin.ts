import type { PromisedOutput } from '../../domain/proof/output.ts';
import type { ShownCoin, ShownReceipt } from '../../domain/proof/shown.ts';
import { type RpcFinding, tried } from '../rpc/rpc-finding.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { blockShowsCoin, coinOf, transactionIn } from './coin-of.ts';
import { balanceAt } from './questions.ts';

/** How far back balances are worth keeping: as far as a final block may lie. */
const BALANCE_BLOCKS = 1_000;

/** Reads the native coin, which no log shows. */
export interface CoinReader {
  /** False: a deposit can be found only by its transaction. */
  readonly hasOldBalances: boolean;
  /** False: the node is known to lack the data for the other methods. Never throws. */
  isShown(): Promise<boolean>;
  /** The coin that a transaction in a block pays directly. */
  paidBy(receipt: ShownReceipt): Promise<Pick<ShownCoin, 'to' | 'value'>>;
  /** The coin that a transaction brought to the recipient; if a contract ran, also the coin that its block brought. */
  coinOf(output: PromisedOutput, receipt: ShownReceipt): Promise<ShownCoin>;
  /** True if the block shows more than the transaction alone. */
  blockShows(output: PromisedOutput, receipt: ShownReceipt): Promise<boolean>;
  /** Checks everything that the reader needs from the node, using an address with few transfers. */
  examine(head: number, address: string): Promise<RpcFinding>;
}

/**
 * The coin of Ethereum and chains like it: transactions state the sums that they pay, and balances of old blocks show the sums
 * that contracts paid.
 */
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
