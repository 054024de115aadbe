import { createContext, use, useEffect, type ReactNode } from 'react';

import styles from './page.module.css';

/** How many payments need a person, in the title of the tab; null: none. */
export const TabCount = createContext<string | null>(null);

interface PageProps {
  readonly title: string;
  /** The tab's title; left out: the screen's title. */
  readonly tabTitle?: string;
  /** Next to the title: tags, a count, a time. */
  readonly beside?: ReactNode;
  readonly back?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A screen: its heading, its actions and its content. */
export function Page({ title, tabTitle = title, beside, back, actions, children }: PageProps) {
  const needed = use(TabCount);
  useEffect(() => {
    document.title = `${needed === null ? '' : `(${needed}) `}${tabTitle} · Paybell`;
  }, [needed, tabTitle]);
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        {back === undefined ? null : <div className={styles['back']}>{back}</div>}
        <h1 className={styles['title']}>{title}</h1>
        {beside === undefined ? null : <div className={styles['beside']}>{beside}</div>}
        {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
