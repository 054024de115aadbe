import type { ReactNode } from 'react';

import { adviceFor, Problem } from '../api/problem.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import styles from './notes.module.css';
import type { Tone } from '../format/words.ts';

/** The problem, and advice on it. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = error instanceof Error ? error.message : String(error);
  return (
    <div role="alert" className={cx(styles['note'], styles['bad'])}>
      <div>
        <strong>{text}</strong> <span>{adviceFor(error)}</span>
        {error instanceof Problem && error.errors.length > 0 ? (
          <ul className={styles['list']}>
            {error.errors.map(({ field, message }) => (
              <li key={field}>
                <code>{field}</code> {message}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      {onRetry === undefined ? null : (
        <Button size="s" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Note({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <div className={cx(styles['note'], styles[tone])}>{children}</div>;
}

/** Names the words of the address that a list leaves out, with the reason. */
export function LeftOut({ sentences }: { sentences: readonly string[] }) {
  return sentences.length === 0 ? null : (
    <div role="status">
      <Note tone="warn">{sentences.join(' ')}</Note>
    </div>
  );
}

/** Shown for an empty list: why it is empty, and what would fill it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <strong>{title}</strong>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}
