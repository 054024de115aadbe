import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';

import { useIsSessionOver } from '../api/session-gate.ts';
import { cx } from '../ui/cx.ts';
import { MenuIcon } from '../ui/icons.tsx';
import { Account } from './account.tsx';
import { ConnectionNote } from './connection-note.tsx';
import { GlobalSearch } from './global-search.tsx';
import { Keys } from './keys.tsx';
import { useAttentionCount } from '../screens/attention/attention-query.ts';
import { Mark } from '../ui/mark.tsx';
import { TabCount } from '../ui/page.tsx';
import { AttentionCount, Navigation } from './navigation-list.tsx';
import styles from './shell.module.css';

const SessionDialog = lazy(async () => ({
  default: (await import('../access/session-dialog.tsx')).SessionDialog,
}));

/** The frame around each screen: the menu, the search, and the signed-in person. */
export function Shell() {
  const [openAt, setOpenAt] = useState<string | null>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isSessionOver = useIsSessionOver();
  // A menu that was opened on one page closes on the next.
  const isOpen = openAt === path;
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <header className={cx(styles['side'], isOpen && styles['open'])}>
        <div className={styles['brand']}>
          <Mark />
          <button
            type="button"
            className={styles['menu']}
            aria-expanded={isOpen}
            aria-controls="places"
            onClick={() => setOpenAt(isOpen ? null : path)}
          >
            <MenuIcon /> Menu {isOpen ? null : <AttentionCount />}
          </button>
        </div>
        <div className={styles['places']} id="places">
          <Navigation />
          <Account />
        </div>
      </header>
      <div className={styles['main']}>
        <div className={styles['bar']}>
          <GlobalSearch />
        </div>
        <ConnectionNote />
        <main id="content" className={styles['content']} tabIndex={-1}>
          <TabCount value={useAttentionCount()?.shown ?? null}>
            <Outlet />
          </TabCount>
        </main>
      </div>
      <Keys />
      {isSessionOver ? (
        <Suspense>
          <SessionDialog />
        </Suspense>
      ) : null}
    </div>
  );
}
