import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';

import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { CloseIcon } from '../../ui/icons.tsx';
import { hasFilters, sameSearch, type PaymentsSearch } from './payments-search.ts';
import styles from './payments.module.css';
import { useStoredFilters } from './stored-filters.ts';

const NameFilter = lazy(async () => ({ default: (await import('./name-filter.tsx')).NameFilter }));

/** Filters that this browser keeps under a name. */
export function SavedFilters({ search }: { search: PaymentsSearch }) {
  const { filters, save, remove } = useStoredFilters();
  const [isNaming, setIsNaming] = useState(false);
  const isKnown = filters.some((filter) => sameSearch(filter.search, search));

  return (
    <>
      {filters.map((filter) => (
        <span
          key={filter.name}
          className={cx(styles['chip'], sameSearch(filter.search, search) && styles['on'])}
        >
          <Link to="/payments" search={filter.search}>
            {filter.name}
          </Link>
          <button
            type="button"
            className={styles['remove']}
            aria-label={`Forget the saved filter ${filter.name}`}
            onClick={() => remove(filter.name)}
          >
            <CloseIcon />
          </button>
        </span>
      ))}
      {hasFilters(search) && !isKnown ? (
        <Button kind="quiet" size="s" onClick={() => setIsNaming(true)}>
          Save this filter
        </Button>
      ) : null}
      {isNaming ? (
        <Suspense>
          <NameFilter
            onClose={() => setIsNaming(false)}
            onName={(name) => {
              save({ name, search });
              setIsNaming(false);
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}
