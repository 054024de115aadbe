import { useEffect, useState } from 'react';

import styles from './copy.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';

const SHOWN_MS = 1_500;

/** Copies a text; confirms it for a moment. */
export function useCopy(): { readonly isCopied: boolean; readonly copy: (text: string) => void } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (text: string): void => {
    void navigator.clipboard.writeText(text).then(() => setIsCopied(true));
  };
  return { isCopied, copy };
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const { isCopied, copy } = useCopy();
  return (
    <button
      type="button"
      className={styles['copy']}
      aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
      title={isCopied ? 'Copied' : `Copy ${what}`}
      onClick={() => copy(text)}
    >
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}
