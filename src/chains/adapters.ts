import type { ChainKind } from '../domain/chains/chain-kinds.ts';
import type { ChainAdapter } from './rpc/chain-adapter.ts';

/** The adapter of each kind of chain. Its libraries are loaded only if such a chain is read. */
const ADAPTERS: Readonly<Record<ChainKind, (chainId: number) => Promise<ChainAdapter>>> = {
  evm: async () => (await import('./evm/evm-adapter.ts')).EVM,
  tvm: async () => (await import('./tvm/tvm-adapter.ts')).TVM,
  utxo: async (chainId) => (await import('./utxo/utxo-adapter.ts')).utxoAdapter(chainId),
};

export function adapterOf(kind: ChainKind, chainId: number): Promise<ChainAdapter> {
  return ADAPTERS[kind](chainId);
}
