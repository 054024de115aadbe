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

/** The beginning and the end, by which a person recognises addresses. */
export function shortened(value: string, head = 10, tail = 8): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`;
}

function scan(site: string): Explorer {
  return { site, address: 'address', transaction: 'tx' };
}
