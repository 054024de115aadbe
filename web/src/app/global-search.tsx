import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState, type FormEvent } from 'react';

import { SearchIcon } from '../ui/icons.tsx';
import styles from './shell.module.css';

const MAX_LENGTH = 200;

/** Finds payments from every screen; `/` moves the focus here. */
export function GlobalSearch() {
  const navigate = useNavigate();
  const given = useSearch({ strict: false }).search ?? '';
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(given);
  const [shown, setShown] = useState(given);
  // An address that changed by itself, as by the Back button, shows in the field.
  if (given !== shown) {
    setShown(given);
    setText(given);
  }
  const focus = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    input.current?.select();
    input.current?.focus();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => focus(event);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const search = text.trim() === '' ? undefined : text.trim();
    void navigate({ to: '/payments', search: (former) => ({ ...former, search }) });
  }

  return (
    <search className={styles['search']}>
      <form onSubmit={submit} className={styles['search-form']}>
        <SearchIcon />
        <input
          ref={input}
          type="search"
          name="search"
          aria-label="Find payments by order, quote, address or transaction"
          aria-keyshortcuts="/"
          placeholder="Order, quote, address or transaction"
          maxLength={MAX_LENGTH}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
    </search>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}
