import { isRecord } from '../../domain/payment/reading.ts';
import type { ShownBlock, ShownReceipt, ShownTransfer } from '../../domain/proof/shown.ts';
import { address, addressOfTopic, hash, quantity, smallQuantity, word } from './hexadecimal.ts';

/** keccak256 of `Transfer(address,address,uint256)`. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** ERC-20 has the sender and the recipient in topics; ERC-721 adds the token's number. */
const TRANSFER_TOPICS = 3;

/** The parts of a transaction that matter for the native coin. */
export interface ShownTransaction {
  readonly hash: string;
  readonly blockHash: string | null;
  readonly from: string;
  readonly to: string | null;
  readonly value: bigint;
  /** In lower case; `0x`: none. */
  readonly data: string;
  /** The most gas that the transaction may use: with 21,000 it cannot run a contract. */
  readonly gas: bigint;
}

/** Each reader returns undefined for a value that violates the Ethereum JSON-RPC specification, and null for null. */

export function readBlock(value: unknown): ShownBlock | null | undefined {
  if (value === null) return null;
  if (!isRecord(value)) return undefined;
  const number = smallQuantity(value['number']);
  const blockHash = hash(value['hash']);
  const seconds = smallQuantity(value['timestamp']);
  if (number === undefined || blockHash === undefined || seconds === undefined) return undefined;
  const at = new Date(seconds * 1_000);
  return Number.isNaN(at.getTime()) ? undefined : { number, hash: blockHash, at };
}

export function readReceipt(value: unknown): ShownReceipt | null | undefined {
  if (value === null) return null;
  if (!isRecord(value)) return undefined;
  const txHash = hash(value['transactionHash']);
  const blockHash = hash(value['blockHash']);
  const blockNumber = smallQuantity(value['blockNumber']);
  const status = smallQuantity(value['status']);
  const gasUsed = quantity(value['gasUsed']);
  const transfers = readTransfers(value['logs']);
  if (txHash === undefined || blockHash === undefined || blockNumber === undefined) return undefined;
  if (gasUsed === undefined || transfers === undefined || (status !== 0 && status !== 1)) return undefined;
  if (!transfers.every((each) => each.txHash === txHash && each.blockHash === blockHash)) return undefined;
  const logged = JSON.stringify(value['logs']).toLowerCase();
  return { txHash, blockHash, blockNumber, succeeded: status === 1, gasUsed, transfers, logged };
}

export function readTransaction(value: unknown): ShownTransaction | null | undefined {
  if (value === null) return null;
  if (!isRecord(value)) return undefined;
  const txHash = hash(value['hash']);
  const amount = quantity(value['value']);
  const from = address(value['from']);
  const to = value['to'] === null ? null : address(value['to']);
  const data = value['input'] ?? value['data'];
  const blockHash = isPending(value['blockHash']) ? null : hash(value['blockHash']);
  if (txHash === undefined || amount === undefined || to === undefined || blockHash === undefined)
    return undefined;
  const gas = quantity(value['gas']);
  if (from === undefined || gas === undefined || typeof data !== 'string') return undefined;
  return { hash: txHash, blockHash, from, to, value: amount, data: data.toLowerCase(), gas };
}

/** Some nodes write an empty hash for null. */
function isPending(blockHash: unknown): boolean {
  return blockHash === null || blockHash === '0x';
}

/** The transactions of a block that was requested with them. */
export function readTransactions(value: unknown): ShownTransaction[] | null | undefined {
  if (value === null) return null;
  if (!isRecord(value) || !Array.isArray(value['transactions'])) return undefined;
  const read = value['transactions'].map(readTransaction);
  return read.every((each) => each !== null && each !== undefined) ? read : undefined;
}

/** The transfers of tokens among the logs; undefined if one entry is no log at all. */
export function readTransfers(value: unknown): ShownTransfer[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const transfers: ShownTransfer[] = [];
  for (const log of value) {
    const read = readLog(log);
    if (read === undefined) return undefined;
    if (read !== null) transfers.push(read);
  }
  return transfers;
}

/** Null for a log that is not a transfer of a token, or that the chain took back. */
function readLog(log: unknown): ShownTransfer | null | undefined {
  if (!isRecord(log) || !Array.isArray(log['topics'])) return undefined;
  const { topics } = log as { topics: unknown[] };
  const token = address(log['address']);
  const txHash = hash(log['transactionHash']);
  const blockHash = hash(log['blockHash']);
  const blockNumber = smallQuantity(log['blockNumber']);
  const logIndex = smallQuantity(log['logIndex']);
  if (token === undefined || txHash === undefined || blockHash === undefined) return undefined;
  if (blockNumber === undefined || logIndex === undefined) return undefined;
  if (log['removed'] === true || topics.length !== TRANSFER_TOPICS || hash(topics[0]) !== TRANSFER)
    return null;
  const from = addressOfTopic(topics[1]);
  const to = addressOfTopic(topics[2]);
  const amount = word(log['data']);
  if (from === undefined || to === undefined || amount === undefined) return null;
  return { token, txHash, blockHash, blockNumber, logIndex, from, to, amount };
}
