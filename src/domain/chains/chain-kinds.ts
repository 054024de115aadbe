import { CHAINS } from './chains.ts';

/** How a chain is read and judged: each kind is an adapter in `chains/`. */
export type ChainKind = 'evm' | 'tvm';

/** How the proofs of a kind are judged. */
export interface ChainRules {
  /** By how much a block's clock may be behind the time of the quote. */
  readonly clockToleranceMs: number;
  /** A usual time between two blocks. */
  readonly blockMs: number;
  /** Longer than a block takes to become final: a proven payment is inspected again only once, after that time. */
  readonly untilFinalMs: number;
  /** Blocks after which a transfer counts as proven where CHAIN_CONFIRMATIONS does not name the chain. */
  readonly confirmations: number;
  /** How long a completion may stay unproven, where VERIFY_PATIENCE_SECONDS is unset. */
  readonly patienceMs: number;
}

const RULES: Readonly<Record<ChainKind, ChainRules>> = {
  // A block is final when the node calls it `finalized`: on Ethereum's rollups, minutes later than the head.
  evm: {
    clockToleranceMs: 15_000,
    blockMs: 2_000,
    untilFinalMs: 1_800_000,
    confirmations: 20,
    patienceMs: 1_800_000,
  },
  // A block is final when 19 of the 27 producers have built on it: after a minute, when the node calls it `finalized` too.
  tvm: {
    clockToleranceMs: 15_000,
    blockMs: 3_000,
    untilFinalMs: 600_000,
    confirmations: 19,
    patienceMs: 1_800_000,
  },
};

/** Tron's test networks, Nile and Shasta, which no provider has. */
const TESTNETS: ReadonlyMap<number, ChainKind> = new Map([
  [3_448_148_188, 'tvm'],
  [2_494_104_990, 'tvm'],
]);

/**
 * Looks the id up in the table of chains; an id that is not there belongs to one of the many other EVM chains. Null: chains
 * of this kind are not read.
 */
export function kindOf(chainId: number): ChainKind | null {
  const chain = CHAINS.find(({ id }) => id === chainId);
  if (chain === undefined) return TESTNETS.get(chainId) ?? 'evm';
  return isKind(chain.vmType) ? chain.vmType : null;
}

/** The rules of the chain's kind; for a chain that is not read or not known, the usual ones. */
export function rulesOf(chainId: number | null): ChainRules {
  return RULES[(chainId === null ? null : kindOf(chainId)) ?? 'evm'];
}

function isKind(vmType: string): vmType is ChainKind {
  return Object.hasOwn(RULES, vmType);
}
