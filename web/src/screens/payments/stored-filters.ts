import { useState } from 'react';

import { readPaymentsSearch, type PaymentsSearch } from './payments-search.ts';
import type { Search } from '../../format/search-params.ts';

const KEY = 'paybell.payment-filters';
const MAX_FILTERS = 20;

export interface StoredFilter {
  readonly name: string;
  readonly search: PaymentsSearch;
}

interface StoredFilters {
  readonly filters: readonly StoredFilter[];
  readonly save: (filter: StoredFilter) => void;
  readonly remove: (name: string) => void;
}

/** The named filters of this browser. */
export function useStoredFilters(): StoredFilters {
  const [filters, setFilters] = useState(read);
  const keep = (kept: readonly StoredFilter[]): void => {
    setFilters(kept);
    write(kept);
  };
  const others = (name: string): StoredFilter[] => filters.filter((filter) => filter.name !== name);
  return {
    filters,
    save: (filter) => keep([...others(filter.name), filter].slice(-MAX_FILTERS)),
    remove: (name) => keep(others(name)),
  };
}

/** The store may have another release's data, or broken data: only readable entries count. */
function read(): readonly StoredFilter[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.filter(isFilter).map(({ name, search }) => ({ name, search: readPaymentsSearch(search) }));
  } catch {
    return [];
  }
}

/** Without a store, as in some browsers' private windows, filters last as long as the page. */
function write(filters: readonly StoredFilter[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(filters));
  } catch {
    // Ignored: the filters then last as long as the page.
  }
}

function isFilter(value: unknown): value is { name: string; search: Search } {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof search === 'object' && search !== null;
}
