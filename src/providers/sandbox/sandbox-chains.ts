/** The address format of a chain: the spec's `vmType`. */
export type VmType = 'evm' | 'svm';

export interface Chain {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  readonly nativeToken: string;
  readonly vmType: VmType;
  /** The cost of one transaction, in the native token. */
  readonly gasAmount: string;
}

/** The spec's nine chains, in the spec's order. */
export const CHAINS: readonly Chain[] = [
  evm(1, 'Ethereum', 'eth', 'ETH', '0.0001'),
  evm(10, 'Optimism', 'op', 'ETH', '0.000001'),
  evm(56, 'BNB Chain', 'bnb', 'BNB', '0.00001'),
  evm(137, 'Polygon', 'matic', 'MATIC', '0.01'),
  evm(8453, 'Base', 'base', 'ETH', '0.000001'),
  evm(42161, 'Arbitrum', 'arb', 'ETH', '0.000001'),
  evm(42220, 'Celo', 'celo', 'CELO', '0.005'),
  evm(43114, 'Avalanche', 'avax', 'AVAX', '0.0001'),
  { ...evm(792703809, 'Solana', 'sol', 'SOL', '0.00002'), vmType: 'svm' },
];

const BY_ID = new Map(CHAINS.map((chain) => [chain.id, chain]));

export function chainOf(id: number): Chain | null {
  return BY_ID.get(id) ?? null;
}

function evm(id: number, name: string, shortName: string, nativeToken: string, gasAmount: string): Chain {
  return { id, name, shortName, nativeToken, vmType: 'evm', gasAmount };
}
