import { elementTexts, memberText } from '../../domain/text/member-text.ts';
import { tronAddress } from '../../domain/chains/tron-address.ts';

/** The parts of a transaction from /wallet/gettransactionbyid that matter for TRX. */
export interface TronTransaction {
  readonly txHash: string;
  readonly succeeded: boolean;
  /** The type of the transaction's only contract; null: it has several contracts, or none. */
  readonly type: string | null;
  /** The amount in sun, the payer and the recipient; null: the transaction is not a transfer of TRX. */
  readonly transfer: { readonly from: string; readonly to: string; readonly value: bigint } | null;
}

const INT64 = /^\d{1,19}$/;

/** Reads the digits from the text: amounts exceed a JavaScript number. Null: the text is not in java-tron's form. */
export function readTransaction(text: string): TronTransaction | null {
  const id = wordAt(text, 'txID');
  const contracts = elementTexts(textAt(text, 'raw_data', 'contract'));
  if (id === null || !/^[\da-f]{64}$/i.test(id) || contracts === null) return null;
  const [contract = '', ...more] = contracts;
  const [ret = ''] = elementTexts(textAt(text, 'ret')) ?? [];
  const type = more.length === 0 ? wordAt(contract, 'type') : null;
  const transfer = type === 'TransferContract' ? transferOf(textAt(contract, 'parameter', 'value')) : null;
  if (type === 'TransferContract' && transfer === null) return null;
  const succeeded = wordAt(ret, 'contractRet') === 'SUCCESS';
  return { txHash: `0x${id.toLowerCase()}`, succeeded, type, transfer };
}

/** The block of a transaction, from /wallet/gettransactioninfobyid; null: the answer names none. */
export function readBlockNumber(text: string): number | null {
  const digits = textAt(text, 'blockNumber');
  return INT64.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : null;
}

function transferOf(value: string): TronTransaction['transfer'] {
  const from = tronAddress(wordAt(value, 'owner_address') ?? '');
  const to = tronAddress(wordAt(value, 'to_address') ?? '');
  const amount = textAt(value, 'amount');
  if (from === null || to === null || !INT64.test(amount)) return null;
  return { from, to, value: BigInt(amount) };
}

/** The text of a nested member; empty if there is none. */
function textAt(json: string, ...names: readonly string[]): string {
  return names.reduce((text, name) => memberText(text, name) ?? '', json);
}

function wordAt(json: string, name: string): string | null {
  const text = textAt(json, name);
  const value: unknown = text.startsWith('"') ? JSON.parse(text) : null;
  return typeof value === 'string' ? value : null;
}
