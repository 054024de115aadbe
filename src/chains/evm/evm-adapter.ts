import type { ChainAdapter } from '../rpc/chain-adapter.ts';
import { Rpc } from '../rpc/rpc.ts';
import { EvmNode } from './evm-node.ts';
import { EvmReader } from './evm-reader.ts';
import { address } from './hexadecimal.ts';
import { NativeCoin } from './native-coin.ts';
import { CHAIN_ID } from './questions.ts';

/** The adapter for Ethereum and chains like it. */
export const EVM: ChainAdapter = {
  spelling: {
    addressOf: (text) => address(text) ?? null,
    hashOf: (text) => text,
    shownHash: (hash) => hash,
  },
  readerOf(connection, options) {
    const rpc = new Rpc(connection, { ...options, asksChainId: CHAIN_ID });
    return new EvmReader(new EvmNode(rpc, new NativeCoin(rpc), options), options);
  },
};
