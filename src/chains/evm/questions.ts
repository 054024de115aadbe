import { isDecimals } from '../../domain/payment/said-decimals.ts';
import type { ShownBlock, ShownReceipt, ShownTransfer } from '../../domain/proof/shown.ts';
import {
  readBlock,
  readReceipt,
  readTransaction,
  readTransactions,
  readTransfers,
  type ShownTransaction,
  TRANSFER,
} from './evm-answers.ts';
import { hexOf, quantity, smallQuantity, topicOfAddress, word } from './hexadecimal.ts';
import type { Question, RpcCall, RpcReply } from '../rpc/json-rpc.ts';
import { isRangeRefusal, isUnknownTag } from '../rpc/rpc-trouble.ts';

/** The selector of `decimals()`. */
const DECIMALS = '0x313ce567';

export const CHAIN_ID: Question<number> = {
  call: { method: 'eth_chainId', params: [] },
  read: (reply) => smallQuantity(resultOf(reply)),
};

export const LATEST: Question<ShownBlock> = {
  call: { method: 'eth_getBlockByNumber', params: ['latest', false] },
  read: (reply) => readBlock(resultOf(reply)) ?? undefined,
};

/** Null: the answer has no final block. `unknown_tag`: the node does not know the tag. */
export const FINALIZED: Question<ShownBlock | null | 'unknown_tag'> = {
  call: { method: 'eth_getBlockByNumber', params: ['finalized', false] },
  read(reply) {
    if ('result' in reply) return readBlock(reply.result);
    return isUnknownTag(reply.error) ? 'unknown_tag' : null;
  },
};

/** Null: the node does not have the block, and may be behind. */
export function blockAt(number: number): Question<ShownBlock | null> {
  return {
    call: { method: 'eth_getBlockByNumber', params: [hexOf(number), false] },
    read(reply) {
      const block = readBlock(resultOf(reply));
      return block === null || block?.number === number ? block : undefined;
    },
  };
}

export function transactionsAt(number: number): Question<ShownTransaction[] | null> {
  return {
    call: { method: 'eth_getBlockByNumber', params: [hexOf(number), true] },
    read: (reply) => readTransactions(resultOf(reply)),
  };
}

export function receiptOf(txHash: string): Question<ShownReceipt | null> {
  return {
    call: { method: 'eth_getTransactionReceipt', params: [txHash] },
    read(reply) {
      const receipt = readReceipt(resultOf(reply));
      return receipt === null || receipt?.txHash === txHash ? receipt : undefined;
    },
  };
}

export function transactionOf(txHash: string): Question<ShownTransaction | null> {
  return {
    call: { method: 'eth_getTransactionByHash', params: [txHash] },
    read(reply) {
      const transaction = readTransaction(resultOf(reply));
      return transaction === null || transaction?.hash === txHash ? transaction : undefined;
    },
  };
}

/** Null: the node does not keep the state of that block. */
export function balanceAt(address: string, blockNumber: number): Question<bigint | null> {
  return {
    call: { method: 'eth_getBalance', params: [address, hexOf(blockNumber)] },
    read: (reply) => ('error' in reply ? null : quantity(reply.result)),
  };
}

/** `decimals()` of an ERC-20 contract. Null: the contract does not exist, or states no number of fraction digits. */
export function decimalsOf(token: string): Question<number | null> {
  return {
    call: { method: 'eth_call', params: [{ to: token, data: DECIMALS }, 'latest'] },
    read(reply) {
      const decimals = Number(word(resultOf(reply)) ?? Number.NaN);
      return isDecimals(decimals) ? decimals : null;
    },
  };
}

export interface TransferFilter {
  /** One token or several; null: any token. */
  readonly token: string | readonly string[] | null;
  readonly to: string;
  /** True: transfers from the address instead of those to it. */
  readonly isOut?: boolean;
}

export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Transfers of tokens to an address. `refused`: the range or the result is too long for the RPC. */
export function transfersIn(
  filter: TransferFilter,
  range: BlockRange,
): Question<ShownTransfer[] | 'refused'> {
  return {
    call: logsCall(filter, { fromBlock: hexOf(range.from), toBlock: hexOf(range.to) }),
    read(reply) {
      if ('error' in reply) return isRangeRefusal(reply.error) ? 'refused' : undefined;
      const transfers = fittingTransfers(filter, reply);
      const isWithin = transfers?.every(
        ({ blockNumber }) => blockNumber >= range.from && blockNumber <= range.to,
      );
      return isWithin === true ? transfers : undefined;
    },
  };
}

/** Transfers of tokens in one block, identified by its hash. */
export function transfersOfBlock(filter: TransferFilter, blockHash: string): Question<ShownTransfer[]> {
  return {
    call: logsCall(filter, { blockHash }),
    read(reply) {
      const transfers = fittingTransfers(filter, reply);
      return transfers?.every((transfer) => transfer.blockHash === blockHash) === true
        ? transfers
        : undefined;
    },
  };
}

function logsCall({ token, to, isOut = false }: TransferFilter, where: object): RpcCall {
  const topics = isOut ? [TRANSFER, topicOfAddress(to)] : [TRANSFER, null, topicOfAddress(to)];
  return {
    method: 'eth_getLogs',
    params: [{ ...where, ...(token === null ? {} : { address: token }), topics }],
  };
}

/** Undefined if the RPC returns logs that were not requested. */
function fittingTransfers(
  { token, to, isOut = false }: TransferFilter,
  reply: RpcReply,
): ShownTransfer[] | undefined {
  const transfers = readTransfers(resultOf(reply));
  const tokens = token === null ? null : new Set([token].flat().map((each) => each.toLowerCase()));
  const isAsked = transfers?.every(
    (each) => each[isOut ? 'from' : 'to'] === to.toLowerCase() && (tokens === null || tokens.has(each.token)),
  );
  return isAsked === true ? transfers : undefined;
}

function resultOf(reply: RpcReply): unknown {
  return 'result' in reply ? reply.result : undefined;
}
