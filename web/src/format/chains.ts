export { shortened } from '../../../src/domain/story/words.ts';

interface Explorer {
  readonly site: string;
  readonly address: string;
  readonly transaction: string;
}

/** The public block explorer of each chain of the payment API. */
const EXPLORERS: Readonly<Record<number, Explorer>> = {
  1: scan('https://etherscan.io'),
  10: scan('https://optimistic.etherscan.io'),
  56: scan('https://bscscan.com'),
  137: scan('https://polygonscan.com'),
  8453: scan('https://basescan.org'),
  42161: scan('https://arbiscan.io'),
  42220: scan('https://celoscan.io'),
  43114: scan('https://snowtrace.io'),
  8253038: scan('https://mempool.space'),
  728126428: { site: 'https://tronscan.org/#', address: 'address', transaction: 'transaction' },
  2100000002: scan('https://litecoinspace.org'),
  2100000003: blockchair('dogecoin'),
  2100000145: blockchair('bitcoin-cash'),
  792703809: { site: 'https://solscan.io', address: 'account', transaction: 'tx' },
};

/** The page of an address or a transaction in a block explorer; null for a chain without a known explorer. */
export function explorerUrl(
  chainId: number | null,
  kind: 'address' | 'transaction',
  value: string,
): string | null {
  const explorer = chainId === null ? undefined : EXPLORERS[chainId];
  return explorer === undefined ? null : `${explorer.site}/${explorer[kind]}/${encodeURIComponent(value)}`;
}

function scan(site: string): Explorer {
  return { site, address: 'address', transaction: 'tx' };
}

function blockchair(chain: string): Explorer {
  return { site: `https://blockchair.com/${chain}`, address: 'address', transaction: 'transaction' };
}
