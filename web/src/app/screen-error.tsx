import { useRouter } from '@tanstack/react-router';

import { ProblemNote } from '../ui/notes.tsx';
import styles from './shell.module.css';

/** Shown in place of a screen that failed. */
export function ScreenError({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const again = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <div className={styles['failed']}>
      <ProblemNote error={error} onRetry={again} />
    </div>
  );
}
