import { createContext, useContext, useState } from 'react';

/** The payments of the list that a person has selected. */
export interface Selection {
  readonly chosen: ReadonlySet<string>;
  readonly toggle: (quoteId: string) => void;
  readonly clear: () => void;
}

const NONE: ReadonlySet<string> = new Set();

export const SelectionContext = createContext<Selection>({
  chosen: NONE,
  toggle: () => undefined,
  clear: () => undefined,
});

export function useSelection(): Selection {
  const [chosen, setChosen] = useState(NONE);
  const toggle = (quoteId: string): void =>
    setChosen((former) => {
      const next = new Set(former);
      if (!next.delete(quoteId)) next.add(quoteId);
      return next;
    });
  return { chosen, toggle, clear: () => setChosen(NONE) };
}

export function useChosen(): Selection {
  return useContext(SelectionContext);
}
