import { explorerUrl, shortened } from '../format/chains.ts';
import { CopyButton } from './copy.tsx';
import { OutIcon } from './icons.tsx';
import styles from './identifier.module.css';

interface IdentifierProps {
  readonly value: string;
  /** For labels: `deposit address`. */
  readonly what: string;
  /** The chain of its explorer. */
  readonly chainId?: number | null;
  readonly kind?: 'address' | 'transaction';
}

/** An id, address or transaction: shortened in the middle, copied whole, and linked to its chain's explorer. */
export function Identifier({ value, what, chainId = null, kind }: IdentifierProps) {
  const url = kind === undefined ? null : explorerUrl(chainId, kind, value);
  return (
    <span className={styles['identifier']}>
      <code title={value}>{shortened(value)}</code>
      <CopyButton text={value} what={what} />
      {url === null ? null : (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className={styles['link']}
          aria-label={`Open the ${what} in the explorer of its chain, in a new tab`}
          title={`Open in ${new URL(url).hostname}`}
        >
          <OutIcon />
        </a>
      )}
    </span>
  );
}
