import { addressOfScript, scriptOf } from '../../domain/chains/utxo-script.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import type { ShownBlock } from '../../domain/proof/shown.ts';
import { printable } from '../../domain/text/printable.ts';
import { RpcTrouble } from '../rpc/rpc-trouble.ts';
import type { HttpApi } from './http-api.ts';
import { amountOf, blockOf, eachOf, hashOf, hidesOne, numberOf, scriptIn } from './reading.ts';
import type {
  HistoryPage,
  Outpoint,
  ShownInput,
  ShownOutput,
  ShownUtxoTransaction,
  UtxoApi,
} from './utxo-api.ts';
import type { UtxoChain } from './utxo-chains.ts';

const PAGE_SIZE = 25;
/** The closest page to this is the last one, which has the fewest of a block's transactions. */
const LAST_PAGE = 'page=1000000';
const WRONG_AGAIN_MS = 60_000;
const MOST_OF_A_NAME = 40;

/** The end of a URL's path that people may copy with it. */
export const BLOCKBOOK_END = /(?:\/api(?:\/v2)?)?\/?$/;

/** Blockbook's HTTP interface, version 2: leaves out fields that are 0, empty or null. */
export class Blockbook implements UtxoApi {
  constructor(
    private readonly http: HttpApi,
    private readonly chainId: number,
    private readonly chain: Pick<UtxoChain, 'coins'>,
  ) {}

  /** Has the time when the server got the block. */
  async head(): Promise<ShownBlock> {
    const path = '/api/status';
    const { value } = (await this.http.getJson(path)) ?? {};
    const { blockbook, backend } = isRecord(value) ? value : {};
    if (!isRecord(blockbook)) throw this.http.unreadable(path);
    const { coin, bestHeight, lastBlockTime } = blockbook;
    if (typeof coin === 'string' && !this.chain.coins.includes(coin.toLowerCase()))
      throw new RpcTrouble(
        'wrong_chain',
        `shows ${printable(coin.slice(0, MOST_OF_A_NAME), ' ')}`,
        WRONG_AGAIN_MS,
      );
    const at = new Date(typeof lastBlockTime === 'string' ? lastBlockTime : Number.NaN);
    const number = numberOf(bestHeight);
    const hash = isRecord(backend) ? hashOf(backend['bestBlockHash']) : undefined;
    if (number === undefined || Number.isNaN(at.getTime())) throw this.http.unreadable(path);
    return { number, hash: hash ?? '', at };
  }

  async blockHashAt(number: number): Promise<string | null> {
    const path = `/api/v2/block-index/${number}`;
    const answer = await this.http.getJson(path);
    const named = isRecord(answer?.value) ? answer.value['blockHash'] : undefined;
    // A height that the chain has not reached may have an empty hash.
    if (answer === null || named === '') return null;
    const hash = hashOf(named);
    if (hash === undefined) throw this.http.unreadable(path);
    return hash;
  }

  async blockAt(number: number): Promise<ShownBlock | null> {
    const path = `/api/v2/block/${number}`;
    const answer = await this.http.getJson(path, LAST_PAGE);
    if (answer === null) return null;
    const { value } = answer;
    const block = isRecord(value) ? blockOf(value['height'], value['hash'], value['time']) : undefined;
    if (block?.number !== number) throw this.http.unreadable(path);
    return block;
  }

  async transaction(txHash: string): Promise<ShownUtxoTransaction | null> {
    return (await this.read(txHash))?.transaction ?? null;
  }

  async historyOf(script: string, next: string | null): Promise<HistoryPage> {
    const address = addressOfScript(this.chainId, script);
    if (address === null) return { transactions: [], next: null };
    const page = next ?? '1';
    const path = `/api/v2/address/${encodeURIComponent(address)}`;
    const answer = await this.http.getJson(path, `details=txs&page=${page}&pageSize=${PAGE_SIZE}`);
    const value = isRecord(answer?.value) ? answer.value : {};
    const transactions = eachOf(value['transactions'] ?? [], (each) => readTransaction(each, this.chainId));
    if (transactions === undefined || value['address'] === undefined) throw this.http.unreadable(path);
    // The server repeats its last page for any page after it.
    const isPage = value['page'] === Number(page);
    const isLast = transactions.length === 0 || value['totalPages'] === Number(page);
    return {
      transactions: isPage ? transactions.filter(({ block }) => block !== null) : [],
      next: !isPage || isLast ? null : String(Number(page) + 1),
    };
  }

  async spenderOf({ txHash, index }: Outpoint): Promise<string | null> {
    const { value } = (await this.read(txHash, 'spending=true')) ?? {};
    const output: unknown = Array.isArray(value?.['vout']) ? value['vout'][index] : undefined;
    // Left out: no transaction spends the output, or the server cannot tell which one does.
    return isRecord(output) ? (hashOf(output['spentTxId']) ?? null) : null;
  }

  private async read(txHash: string, query = '') {
    const path = `/api/v2/tx/${txHash}`;
    const answer = await this.http.getJson(path, query);
    if (answer === null) return null;
    const value = isRecord(answer.value) ? answer.value : {};
    const transaction = readTransaction(value, this.chainId);
    if (transaction?.txHash !== txHash) throw this.http.unreadable(path);
    return { transaction, value };
  }
}

/** Undefined: the value has not Blockbook's form. */
export function readTransaction(
  value: Readonly<Record<string, unknown>>,
  chainId: number,
): ShownUtxoTransaction | undefined {
  const txHash = hashOf(value['txid']);
  const inputs = eachOf(value['vin'], (input) => readInput(input, chainId));
  const outputs = eachOf(value['vout'], (output, at) => readOutput(output, at, chainId));
  if (txHash === undefined || inputs === undefined || outputs === undefined) return undefined;
  const found = { txHash, inputs, outputs, isHidden: hidesOne(value['vin']) || hidesOne(value['vout']) };
  const { blockHeight = 0, blockHash, blockTime } = value;
  // Without a block, `blockTime` is when the server first saw the transaction.
  if (blockHash === undefined)
    return blockHeight === -1 || blockHeight === 0 ? { ...found, block: null } : undefined;
  const block = blockOf(blockHeight, blockHash, blockTime);
  return block === undefined ? undefined : { ...found, block };
}

function readInput(
  { txid, vout = 0, addresses }: Readonly<Record<string, unknown>>,
  chainId: number,
): ShownInput | undefined {
  if (txid === undefined) return { spends: null, script: null };
  const txHash = hashOf(txid);
  const index = numberOf(vout);
  if (txHash === undefined || index === undefined) return undefined;
  return { spends: { txHash, index }, script: scriptOfAddresses(addresses, chainId) };
}

function readOutput(
  { n = 0, value = '0', hex, addresses }: Readonly<Record<string, unknown>>,
  at: number,
  chainId: number,
): ShownOutput | undefined {
  const amount = amountOf(value);
  const script = hex === undefined ? scriptOfAddresses(addresses, chainId) : scriptIn(hex);
  if (n !== at || amount === undefined || script === undefined) return undefined;
  return { index: at, script, amount };
}

function scriptOfAddresses(addresses: unknown, chainId: number): string | null {
  const [first]: unknown[] = Array.isArray(addresses) ? addresses : [];
  return typeof first === 'string' ? scriptOf(chainId, first) : null;
}
