import { scriptOf } from '../../domain/chains/utxo-script.ts';
import type { ChainAdapter } from '../rpc/chain-adapter.ts';
import { Blockbook, BLOCKBOOK_END } from './blockbook.ts';
import { Esplora } from './esplora.ts';
import { HttpApi } from './http-api.ts';
import { namedHash } from './inspect-named.ts';
import { utxoChainOf } from './utxo-chains.ts';
import { UtxoNode } from './utxo-node.ts';
import { UtxoReader } from './utxo-reader.ts';

/** The adapter for Bitcoin and a chain like it. Addresses are compared by their scripts. */
export function utxoAdapter(chainId: number): ChainAdapter {
  const chain = utxoChainOf(chainId);
  return {
    spelling: {
      addressOf: (text) => scriptOf(chainId, text),
      hashOf: (text) => namedHash(text) ?? text,
      shownHash: (hash) => hash,
    },
    readerOf(connection, options) {
      const isBlockbook = connection.api === 'blockbook';
      const http = new HttpApi(connection, ...(isBlockbook ? [BLOCKBOOK_END] : []));
      const api = isBlockbook ? new Blockbook(http, chainId, chain) : new Esplora(http);
      return new UtxoReader(new UtxoNode(api, chain, options), chainId);
    },
  };
}
