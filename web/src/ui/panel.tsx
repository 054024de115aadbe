import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';

import { cx } from './cx.ts';
import styles from './panel.module.css';

interface PanelProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** True: no padding, for tables, which have their own. */
  readonly isFlush?: boolean;
  /** True: the panel scrolls with the window, so that its table's header can stay in sight. */
  readonly isTall?: boolean;
}

/** A surface with a title, for contents that belong together. */
export function Panel({ title, actions, children, isFlush = false, isTall = false }: PanelProps) {
  const body = useRef<HTMLDivElement>(null);
  const isScrolling = useIsScrolling(body);
  return (
    <section
      className={cx(styles['panel'], isFlush && styles['flush'], isTall && styles['tall'])}
      aria-label={title}
    >
      {title === undefined ? null : (
        <div className={styles['head']}>
          <h2>{title}</h2>
          {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
        </div>
      )}
      <div
        ref={body}
        className={styles['body']}
        {...(isScrolling ? { role: 'group', 'aria-label': title ?? 'Table', tabIndex: 0 } : {})}
      >
        {children}
      </div>
    </section>
  );
}

/** Whether a part is wider than its place: then it must be reachable by keyboard, to be scrolled. */
function useIsScrolling(part: RefObject<HTMLElement | null>): boolean {
  const [isScrolling, setIsScrolling] = useState(false);
  useEffect(() => {
    const element = part.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() => setIsScrolling(element.scrollWidth > element.clientWidth + 1));
    for (const watched of [element, ...element.children]) watch.observe(watched);
    return () => watch.disconnect();
  }, [part]);
  return isScrolling;
}

/** Names and values, one pair a line. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl className={styles['facts']}>
      {rows
        .filter((row) => row !== null)
        .map(([name, value], index) => (
          // eslint-disable-next-line react/no-array-index-key -- two rows may have one name; rows do not move
          <div key={`${index} ${name}`} className={styles['fact']}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
