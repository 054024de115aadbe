import type { ReactNode } from 'react';

import { Button } from './button.tsx';
import styles from './more.module.css';

interface MoreProps {
  /** A list that is read page by page. */
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

/** Stands below a list: reads its next page, if there is one. */
export function More({ list, children }: MoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <p className={styles['more']}>
      <Button
        kind="quiet"
        size="s"
        isBusy={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        {children}
      </Button>
    </p>
  );
}
