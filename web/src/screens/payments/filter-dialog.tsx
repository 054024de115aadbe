import { lazy, startTransition, Suspense, useState } from 'react';

import chip from '../../ui/chip.module.css';
import { cx } from '../../ui/cx.ts';
import { PlusIcon } from '../../ui/icons.tsx';
import type { PaymentsSearch } from './payments-search.ts';

const FilterForm = lazy(async () => ({ default: (await import('./filter-form.tsx')).FilterForm }));

/** Opens the form with all filters. */
export function FilterDialog({ search }: { search: PaymentsSearch }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={cx(chip['chip'])}
        onClick={() => startTransition(() => setIsOpen(true))}
      >
        <PlusIcon /> Filter
      </button>
      <Suspense>{isOpen ? <FilterForm search={search} onClose={() => setIsOpen(false)} /> : null}</Suspense>
    </>
  );
}
