import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState, type FormEvent } from 'react';

import { call } from '../api/client.ts';
import { SearchIcon } from '../ui/icons.tsx';
import { isShortcut } from './shortcut.ts';
import styles from './shell.module.css';

const MAX_LENGTH = 200;

/** Finds payments from every screen; `/` and Ctrl-K move the focus here. */
export function GlobalSearch() {
  const navigate = useNavigate();
  const given = useSearch({ strict: false }).search ?? '';
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(given);
  const [shown, setShown] = useState(given);
  // When the address has changed without the field, as after the Back button, the field follows it.
  if (given !== shown) {
    setShown(given);
    setText(given);
  }
  const focus = useEffectEvent((event: KeyboardEvent) => {
    const isPalette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isPalette && !isShortcut(event, '/')) return;
    event.preventDefault();
    input.current?.select();
    input.current?.focus();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => focus(event);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  async function find(search: string): Promise<void> {
    const [order, quoteId] =
      search === '' ? [null, null] : await Promise.all([wholeOrder(search), onlyOne(search)]);
    if (order !== null && order.hasSeveral)
      return navigate({ to: '/orders/$orderId', params: { orderId: order.orderId } });
    const opened = order?.quoteId ?? quoteId;
    if (opened !== null) return navigate({ to: '/payments/$quoteId', params: { quoteId: opened } });
    // Searches all payments: the filter of the open list would hide results.
    return navigate({ to: '/payments', search: search === '' ? {} : { search } });
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void find(text.trim());
  }

  return (
    <search className={styles['search']}>
      <form onSubmit={submit} className={styles['search-form']}>
        <SearchIcon />
        <input
          ref={input}
          type="search"
          name="search"
          aria-label="Find payments by order, quote, address, transaction or amount"
          aria-keyshortcuts="/ Control+K Meta+K"
          placeholder="Order, address, transaction or amount"
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

interface Order {
  readonly orderId: string;
  readonly quoteId: string;
  readonly hasSeveral: boolean;
}

/** The order with exactly this id, although other ids begin with it: as typed, or all in one case. */
async function wholeOrder(typed: string): Promise<Order | null> {
  const spellings = [...new Set([typed, typed.toUpperCase(), typed.toLowerCase()])];
  const found = await Promise.all(spellings.map(orderOf));
  return found.find((order) => order !== null) ?? null;
}

async function orderOf(orderId: string): Promise<Order | null> {
  try {
    const { data } = await call('get', '/api/payments', { query: { orderId, limit: 2 } });
    const [payment] = data;
    return payment === undefined ? null : { orderId, quoteId: payment.quoteId, hasSeveral: data.length > 1 };
  } catch {
    return null;
  }
}

/** The only payment that a search finds. Leaves a failed search to the list, which reports it. */
async function onlyOne(search: string): Promise<string | null> {
  try {
    const { data, nextCursor } = await call('get', '/api/payments', { query: { search, limit: 2 } });
    return data.length === 1 && nextCursor === null ? (data[0]?.quoteId ?? null) : null;
  } catch {
    return null;
  }
}
