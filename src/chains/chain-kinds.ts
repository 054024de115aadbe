import { CHAINS } from '../domain/chains/chains.ts';

/** How a chain is read. Each kind that has an adapter is a folder beside this file. */
export type ChainKind = 'evm' | 'solana' | 'bitcoin' | 'other';

const KINDS: Readonly<Record<string, ChainKind>> = { evm: 'evm', svm: 'solana', bvm: 'bitcoin' };

/** By the table of chains; an id that is not in it is one of the many EVM chains. */
export function kindOf(chainId: number): ChainKind {
  const chain = CHAINS.find(({ id }) => id === chainId);
  return chain === undefined ? 'evm' : (KINDS[chain.vmType] ?? 'other');
}
