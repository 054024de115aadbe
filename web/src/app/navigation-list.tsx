import { Link } from '@tanstack/react-router';

import { useWhoami } from '../access/whoami.ts';
import { useAttentionCount } from '../screens/attention/attention-query.ts';
import { Hidden } from '../ui/hidden.tsx';
import { placesFor } from './navigation.ts';
import styles from './shell.module.css';

export function Navigation() {
  const places = placesFor(useWhoami());
  return (
    <nav aria-label="Main">
      <ul className={styles['links']}>
        {places.map(({ to, name }) => (
          <li key={to}>
            <Link
              to={to}
              className={styles['link']}
              activeProps={{ className: `${styles['link']} ${styles['current']}` }}
              activeOptions={{ exact: to === '/', includeSearch: false }}
            >
              {name}
              {to === '/' ? <AttentionCount /> : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** How many payments need a person. */
export function AttentionCount() {
  const needed = useAttentionCount();
  if (needed === null) return null;
  const { shown, what } = needed;
  return (
    <span className={styles['count']} title={`${shown} ${what}`}>
      {shown}
      <Hidden> {what}</Hidden>
    </span>
  );
}
