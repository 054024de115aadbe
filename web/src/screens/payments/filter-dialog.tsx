import { lazy, Suspense, useState } from 'react';

import { cx } from '../../ui/cx.ts';
import { PlusIcon } from '../../ui/icons.tsx';
import type { PaymentsSearch } from './payments-search.ts';
import styles from './payments.module.css';

const FilterForm = lazy(async () => ({ default: (await import('./filter-form.tsx')).FilterForm }));

/** Opens the form with all filters. */
export function FilterDialog({ search }: { search: PaymentsSearch }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className={cx(styles['chip'])} onClick={() => setIsOpen(true)}>
        <PlusIcon /> Filter
      </button>
      {isOpen ? (
        <Suspense>
          <FilterForm search={search} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
