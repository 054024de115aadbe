import { createHash } from 'node:crypto';

import { isRecord } from '../../domain/payment/reading.ts';
import type { ShownBlock } from '../../domain/proof/shown.ts';
import { elementTexts, memberText } from '../../domain/text/member-text.ts';
import type { HttpApi, JsonAnswer } from './http-api.ts';
import { amountOf, blockOf, eachOf, hashOf, hidesOne, isHidden, numberOf, scriptIn } from './reading.ts';
import type {
  HistoryPage,
  Outpoint,
  ShownInput,
  ShownOutput,
  ShownUtxoTransaction,
  UtxoApi,
} from './utxo-api.ts';

/** Servers have pages of 25 transactions, some of 10. */
const LEAST_OF_A_PAGE = 10;

/** Esplora's HTTP interface. */
export class Esplora implements UtxoApi {
  private newest: ShownBlock | null = null;

  constructor(private readonly http: HttpApi) {}

  async head(): Promise<ShownBlock> {
    const tip = '/blocks/tip/hash';
    const hash = hashOf(await this.http.getText(tip));
    if (hash === undefined) throw this.http.unreadable(tip);
    if (this.newest?.hash !== hash) this.newest = await this.block(hash);
    return this.newest;
  }

  async blockAt(number: number): Promise<ShownBlock | null> {
    const hash = await this.blockHashAt(number);
    return hash === null ? null : this.block(hash);
  }

  async blockHashAt(number: number): Promise<string | null> {
    const path = `/block-height/${number}`;
    const text = await this.http.getText(path);
    if (text === null) return null;
    const hash = hashOf(text);
    if (hash === undefined) throw this.http.unreadable(path);
    return hash;
  }

  async transaction(txHash: string): Promise<ShownUtxoTransaction | null> {
    const path = `/tx/${txHash}`;
    const answer = await this.http.getJson(path);
    if (answer === null) return null;
    const transaction = readTransaction(answer);
    if (transaction?.txHash !== txHash) throw this.http.unreadable(path);
    return transaction;
  }

  async historyOf(script: string, next: string | null): Promise<HistoryPage> {
    const key = createHash('sha256').update(script, 'hex').digest('hex');
    const path = `/scripthash/${key}/txs/chain${next === null ? '' : `/${next}`}`;
    const answer = await this.http.getJson(path);
    const texts = answer === null ? null : elementTexts(answer.text);
    const transactions = eachOf(answer?.value, (value, at) =>
      readTransaction({ value, text: texts?.[at] ?? '' }),
    );
    if (transactions === undefined) throw this.http.unreadable(path);
    const last = transactions.length < LEAST_OF_A_PAGE ? undefined : transactions.at(-1);
    return { transactions, next: last?.txHash ?? null };
  }

  async spenderOf({ txHash, index }: Outpoint): Promise<string | null> {
    const path = `/tx/${txHash}/outspend/${index}`;
    const answer = await this.http.getJson(path);
    if (answer === null) return null;
    const { spent, txid } = isRecord(answer.value) ? answer.value : {};
    if (spent === false) return null;
    const spender = hashOf(txid);
    if (spent !== true || spender === undefined) throw this.http.unreadable(path);
    return spender;
  }

  private async block(hash: string): Promise<ShownBlock> {
    const path = `/block/${hash}`;
    const { value } = (await this.http.getJson(path)) ?? {};
    const block = isRecord(value) ? blockOf(value['height'], value['id'], value['timestamp']) : undefined;
    if (block?.hash !== hash) throw this.http.unreadable(path);
    return block;
  }
}

/** Undefined: the answer has not Esplora's form. */
export function readTransaction({ value, text }: JsonAnswer): ShownUtxoTransaction | undefined {
  if (!isRecord(value)) return undefined;
  const { status } = value;
  const txHash = hashOf(value['txid']);
  const inputs = eachOf(value['vin'], readInput);
  const outputs = readOutputs(value['vout'], memberText(text, 'vout') ?? '');
  if (txHash === undefined || inputs === undefined || outputs === undefined || !isRecord(status))
    return undefined;
  const found = { txHash, inputs, outputs, isHidden: hidesOne(value['vin']) || hidesOne(value['vout']) };
  if (status['confirmed'] === false) return { ...found, block: null };
  const block = blockOf(status['block_height'], status['block_hash'], status['block_time']);
  return status['confirmed'] === true && block !== undefined ? { ...found, block } : undefined;
}

function readInput(input: Readonly<Record<string, unknown>>): ShownInput | undefined {
  const { prevout } = input;
  if (input['is_coinbase'] === true || isHidden(input)) return { spends: null, script: null };
  const txHash = hashOf(input['txid']);
  const index = numberOf(input['vout']);
  if (txHash === undefined || index === undefined) return undefined;
  const script = isRecord(prevout) ? scriptIn(prevout['scriptpubkey']) : undefined;
  return script === undefined ? undefined : { spends: { txHash, index }, script };
}

function readOutputs(value: unknown, text: string): ShownOutput[] | undefined {
  const texts = elementTexts(text);
  return eachOf(value, (output, index) => {
    if (isHidden(output)) return { index, script: null, amount: 0n };
    const script = scriptIn(output['scriptpubkey']);
    const amount = amountOf(memberText(texts?.[index] ?? '', 'value'));
    return script === undefined || amount === undefined ? undefined : { index, script, amount };
  });
}
