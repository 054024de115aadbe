import { Link } from '@tanstack/react-router';
import { lazy, startTransition, Suspense, useState } from 'react';

import { Button } from '../../ui/button.tsx';
import chip from '../../ui/chip.module.css';
import { cx } from '../../ui/cx.ts';
import { CloseIcon } from '../../ui/icons.tsx';
import { filterCount, sameSearch, type PaymentsSearch } from './payments-search.ts';
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
        <span key={filter.name} className={cx(chip['chip'], sameSearch(filter.search, search) && chip['on'])}>
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
      {filterCount(search) > 0 && !isKnown ? (
        <Button kind="quiet" size="s" onClick={() => startTransition(() => setIsNaming(true))}>
          Save this filter
        </Button>
      ) : null}
      <Suspense>
        {isNaming ? (
          <NameFilter
            onClose={() => setIsNaming(false)}
            onName={(name) => {
              save({ name, search });
              setIsNaming(false);
            }}
          />
        ) : null}
      </Suspense>
    </>
  );
}
