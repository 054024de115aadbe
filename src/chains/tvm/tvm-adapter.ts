import { EvmNode } from '../evm/evm-node.ts';
import { EvmReader } from '../evm/evm-reader.ts';
import { CHAIN_ID } from '../evm/questions.ts';
import type { ChainAdapter } from '../rpc/chain-adapter.ts';
import { Rpc } from '../rpc/rpc.ts';
import { limitIn, translate } from './java-tron.ts';
import { tronAddress } from '../../domain/chains/tron-address.ts';
import { TronCoin } from './tron-coin.ts';
import { Wallet } from './wallet.ts';

const BARE_HASH = /^[\da-f]{64}$/i;

/** The adapter for Tron, whose nodes have their own form of Ethereum's JSON-RPC. */
export const TVM: ChainAdapter = {
  spelling: {
    addressOf: tronAddress,
    hashOf: (text) => (BARE_HASH.test(text) ? `0x${text.toLowerCase()}` : text),
    shownHash: (hash) => hash.replace(/^0x/, ''),
  },
  limitIn,
  readerOf(connection, options) {
    const rpc = new Rpc(connection, { ...options, asksChainId: CHAIN_ID, translate });
    const coin = new TronCoin(new Wallet(connection), options.timers);
    return new EvmReader(new EvmNode(rpc, coin, options), options);
  },
};
