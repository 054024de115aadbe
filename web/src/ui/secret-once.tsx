import type { ReactNode } from 'react';

import { CopyButton } from './copy.tsx';
import { Note } from './notes.tsx';
import styles from './secret-once.module.css';

interface SecretOnceProps {
  readonly what: string;
  readonly value: string;
  readonly isOnce?: boolean;
  readonly children: ReactNode;
}

/** A new secret or key, which no later answer shows again. */
export function SecretOnce({ what, value, isOnce = false, children }: SecretOnceProps) {
  return (
    <div className={styles['secret']}>
      <p>{children}</p>
      <div className={styles['value']}>
        <code>{value}</code>
        <CopyButton text={value} what={what} />
      </div>
      {isOnce ? <Note tone="warn">Copy it now: it is shown only here, and only once.</Note> : null}
    </div>
  );
}
