import type { PromisedOutput } from '../../domain/proof/output.ts';
import type { ShownCoin, ShownReceipt } from '../../domain/proof/shown.ts';
import { within } from '../../platform/scheduling/within.ts';
import type { Timers } from '../../ports/timers.ts';
import type { CoinReader } from '../evm/native-coin.ts';
import type { RpcFinding } from '../rpc/rpc-finding.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';
import { readBlockNumber, readTransaction, type TronTransaction } from './tron-transaction.ts';
import { NoWallet, type Wallet } from './wallet.ts';

/** Contract types that move another token, but no TRX. */
const WITHOUT_COIN = new Set(['TransferAssetContract']);
const DISAGREED_AGAIN_MS = 30_000;
/** No transaction has this hash: a node that answers "unknown" has the API. */
const UNKNOWN = `0x${'0'.repeat(64)}`;
const PROBE_MS = 3_000;
/** For a transaction that moves no TRX directly. */
const NONE = { from: '', to: null, value: 0n, gain: null };
/** How long each result of a probe is used. */
const KNOWN_MS = { shown: 3_600_000, lacking: 600_000, unknown: 60_000 };

type Probed = keyof typeof KNOWN_MS;

/**
 * TRX, read through the node's HTTP API: the `value` in eth_getTransactionByHash may be units of a worthless token, votes or
 * a stake. Tron's nodes keep no balances of old blocks.
 */
export class TronCoin implements CoinReader {
  readonly hasOldBalances = false;
  private probed: { readonly result: Probed; readonly atMs: number } | null = null;
  private probing: Promise<Probed> | null = null;

  constructor(
    private readonly wallet: Wallet,
    private readonly timers: Timers,
  ) {}

  async isShown(): Promise<boolean> {
    const { probed } = this;
    if (probed !== null && this.timers.nowMs() - probed.atMs < KNOWN_MS[probed.result])
      return probed.result !== 'lacking';
    this.probing ??= this.probe().finally(() => (this.probing = null));
    return within(PROBE_MS, this.timers, this.probing).then(
      (result) => result !== 'lacking',
      () => true,
    );
  }

  async paidBy(receipt: ShownReceipt): Promise<Pick<ShownCoin, 'to' | 'value'>> {
    const { transfer } = await this.transactionIn(receipt);
    return transfer ?? NONE;
  }

  async coinOf(_output: PromisedOutput, receipt: ShownReceipt): Promise<ShownCoin> {
    if (!receipt.succeeded) return { ...NONE, isPlain: false };
    const { type, transfer } = await this.transactionIn(receipt);
    if (transfer !== null) return { ...transfer, isPlain: true, gain: null };
    return { ...NONE, isPlain: type !== null && WITHOUT_COIN.has(type) };
  }

  blockShows(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async examine(): Promise<RpcFinding> {
    const result = await this.probe();
    const detail = {
      shown: 'answered: TRX is proven where the provider names the transaction',
      lacking: 'not there beside its JSON-RPC: tokens are proven, and TRX is not',
      unknown: 'no answer',
    }[result];
    return { check: 'wallet api', isGood: result === 'shown', isEssential: false, detail };
  }

  private async transactionIn({ txHash, blockNumber }: ShownReceipt): Promise<TronTransaction> {
    const text = await this.wallet.ask('gettransactionbyid', txHash);
    const info = await this.wallet.ask('gettransactioninfobyid', txHash);
    const transaction = text === null ? null : readTransaction(text);
    const isSame = transaction?.txHash === txHash && transaction.succeeded;
    if (!isSame || info === null || readBlockNumber(info) !== blockNumber)
      throw new RpcTrouble('rpc_error', 'has a receipt and not its transaction', DISAGREED_AGAIN_MS);
    return transaction;
  }

  private async probe(): Promise<Probed> {
    const result = await this.wallet.ask('gettransactionbyid', UNKNOWN).then(
      () => 'shown' as const,
      (error: unknown) => {
        if (!(error instanceof RpcTrouble)) throw error;
        return error instanceof NoWallet ? ('lacking' as const) : ('unknown' as const);
      },
    );
    this.probed = { result, atMs: this.timers.nowMs() };
    return result;
  }
}
