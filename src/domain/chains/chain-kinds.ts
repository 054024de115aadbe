import { CHAINS, type VmType } from './chains.ts';

/** How a chain is read and judged: each kind is an adapter in `chains/`. */
export type ChainKind = 'evm' | 'tvm' | 'utxo';

/** An interface of servers in front of a node; the prefix of a URL in CHAIN_RPC names it, such as `esplora+https://…`. */
export type ServerApi = 'esplora' | 'blockbook';

const HOUR_MS = 3_600_000;

/** How the proofs of a chain are judged. */
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
  /** Left out: the chain has tokens beside its coin. */
  readonly hasCoinAlone?: true;
}

interface ReadChain {
  readonly kind: ChainKind;
  readonly rules: ChainRules;
  /** The interfaces of which a URL must name one; left out: JSON-RPC, which has no prefix. */
  readonly apis?: readonly ServerApi[];
}

// A block is final when the node calls it `finalized`: on Ethereum's rollups, minutes later than the head.
const EVM: ReadChain = {
  kind: 'evm',
  rules: {
    clockToleranceMs: 15_000,
    blockMs: 2_000,
    untilFinalMs: 1_800_000,
    confirmations: 20,
    patienceMs: 1_800_000,
  },
};

// A block is final when 19 of the 27 producers have built on it: after a minute, when the node calls it `finalized` too.
const TVM: ReadChain = {
  kind: 'tvm',
  rules: {
    clockToleranceMs: 15_000,
    blockMs: 3_000,
    untilFinalMs: 600_000,
    confirmations: 19,
    patienceMs: 1_800_000,
  },
};

/**
 * The chains that Paybell reads, by their machines. Of the chains like Bitcoin it reads neither Zcash, whose shielded outputs
 * no server shows, nor Dash, of which no server was tried.
 */
const READ: ReadonlyMap<VmType, ReadChain> = new Map([
  ['evm', EVM],
  ['tvm', TVM],
  ['bvm', utxo({ blockMs: 600_000, confirmations: 2, finalHours: 2, patienceHours: 2 }, true)],
  ['litecoin', utxo({ blockMs: 150_000, confirmations: 6, finalHours: 1, patienceHours: 1.5 }, true)],
  ['dogecoin', utxo({ blockMs: 60_000, confirmations: 20, finalHours: 1.5, patienceHours: 1.5 })],
  ['bitcoincash', utxo({ blockMs: 600_000, confirmations: 6, finalHours: 3, patienceHours: 3 })],
]);

interface UtxoRules extends Pick<ChainRules, 'blockMs' | 'confirmations'> {
  readonly finalHours: number;
  /** The time of the confirmations, and a slow hour. */
  readonly patienceHours: number;
}

/**
 * No node calls a block of these chains final: a block is final under enough others. An hour without a block is usual, and a
 * block's clock may be two hours off.
 */
function utxo({ finalHours, patienceHours, ...rules }: UtxoRules, isInEsplora = false): ReadChain {
  const clockToleranceMs = 2 * HOUR_MS;
  return {
    kind: 'utxo',
    rules: {
      ...rules,
      clockToleranceMs,
      untilFinalMs: finalHours * HOUR_MS,
      patienceMs: patienceHours * HOUR_MS,
      hasCoinAlone: true,
    },
    apis: isInEsplora ? ['esplora', 'blockbook'] : ['blockbook'],
  };
}

/** Tron's test networks, Nile and Shasta, which no provider has. */
const TESTNETS: ReadonlyMap<number, VmType> = new Map([
  [3_448_148_188, 'tvm'],
  [2_494_104_990, 'tvm'],
]);

/**
 * Looks the id up in the table of chains; an id that is not there belongs to one of the many other EVM chains. Null: Paybell
 * does not read chains of this kind.
 */
export function kindOf(chainId: number): ChainKind | null {
  return readChain(chainId)?.kind ?? null;
}

/** The rules of the chain; for a chain that is not read or not known, the usual ones. */
export function rulesOf(chainId: number | null): ChainRules {
  return ((chainId === null ? null : readChain(chainId)) ?? EVM).rules;
}

/** The interfaces of which each URL of the chain in CHAIN_RPC must name one; none: its URLs have no prefix. */
export function serverApisOf(chainId: number): readonly ServerApi[] {
  return readChain(chainId)?.apis ?? [];
}

function readChain(chainId: number): ReadChain | null {
  const chain = CHAINS.find(({ id }) => id === chainId);
  const vmType = chain === undefined ? (TESTNETS.get(chainId) ?? 'evm') : chain.vmType;
  return READ.get(vmType) ?? null;
}
