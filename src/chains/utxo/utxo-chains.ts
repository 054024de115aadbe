import { BITCOIN, BITCOIN_CASH, DOGECOIN, LITECOIN } from '../../domain/chains/utxo-script.ts';

/** A block by which a chain is recognised. */
export interface KnownBlock {
  readonly number: number;
  readonly hash: string;
}

/** The facts of one chain of this kind that no rule of `domain/chains` has. */
export interface UtxoChain {
  /** The genesis block, and a later one where other chains have the same genesis block. */
  readonly blocks: readonly KnownBlock[];
  /** The names in lower case that Blockbook has for its coin. */
  readonly coins: readonly string[];
  /** The depth from which a block counts as final: no node names a final block. */
  readonly finalAfter: number;
  /** The depth from which the outputs of a coinbase transaction can be spent. */
  readonly coinbaseAfter: number;
  /** True: amounts and scripts may be hidden in its extension blocks. */
  readonly hasMweb: boolean;
}

const SATOSHIS_GENESIS: KnownBlock = {
  number: 0,
  hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
};

const CHAINS: ReadonlyMap<number, UtxoChain> = new Map([
  [
    BITCOIN,
    {
      blocks: [
        SATOSHIS_GENESIS,
        { number: 500_000, hash: '00000000000000000024fb37364cbf81fd49cc2d51c09c75c35433c3a1945d04' },
      ],
      coins: ['bitcoin'],
      finalAfter: 6,
      coinbaseAfter: 100,
      hasMweb: false,
    },
  ],
  [
    LITECOIN,
    {
      blocks: [{ number: 0, hash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2' }],
      coins: ['litecoin'],
      finalAfter: 12,
      coinbaseAfter: 100,
      hasMweb: true,
    },
  ],
  [
    DOGECOIN,
    {
      blocks: [{ number: 0, hash: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691' }],
      coins: ['dogecoin'],
      finalAfter: 40,
      coinbaseAfter: 240,
      hasMweb: false,
    },
  ],
  [
    BITCOIN_CASH,
    {
      blocks: [
        SATOSHIS_GENESIS,
        // The last fork that gave another chain the blocks before it.
        { number: 661_648, hash: '0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce' },
      ],
      coins: ['bcash', 'bitcoin cash'],
      finalAfter: 10,
      coinbaseAfter: 100,
      hasMweb: false,
    },
  ],
]);

/** Throws for a chain of another kind. */
export function utxoChainOf(chainId: number): UtxoChain {
  const chain = CHAINS.get(chainId);
  if (chain === undefined) throw new Error(`chain ${chainId} is not one of outputs`);
  return chain;
}
