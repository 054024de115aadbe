import { useEffect, useState } from 'react';

import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Facts } from '../ui/panel.tsx';
import { isShortcut } from './shortcut.ts';

const KEYS = [
  ['/ or Ctrl-K', 'search payments'],
  ['j, k', 'the next row, the row before'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['?', 'these keys'],
] as const;

/** The keyboard shortcuts of lists, and the dialog that explains them. */
export function Keys() {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isShortcut(event, '?')) setIsOpen(true);
      else if (isShortcut(event, 'j')) moveBy(1);
      else if (isShortcut(event, 'k')) moveBy(-1);
      else if (isShortcut(event, 'x'))
        rowOfFocus()?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={() => setIsOpen(false)}>
      <Facts rows={KEYS.map(([key, what]) => [key, what] as const)} />
      <DialogActions>
        <Button onClick={() => setIsOpen(false)}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function rowOfFocus(): HTMLElement | null {
  return document.activeElement?.closest('tr') ?? null;
}

function isInWindow(link: HTMLElement): boolean {
  return link.getBoundingClientRect().top >= 0;
}

/** Moves the focus from a row's link to a neighbour's; from anywhere else to the first row in the window. */
function moveBy(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row-link]')];
  const row = rowOfFocus();
  const here = links.findIndex((link) => row?.contains(link) === true);
  const next = here === -1 ? (links.find(isInWindow) ?? links[0]) : links[here + step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'center' });
}
