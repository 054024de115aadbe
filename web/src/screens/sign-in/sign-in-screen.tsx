import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';

import { signInWords } from '../../access/sign-in.ts';
import { Mark } from '../../ui/mark.tsx';
import { buttonClass } from '../../ui/button.tsx';
import form from '../../ui/form.module.css';
import { Note } from '../../ui/notes.tsx';
import styles from './sign-in.module.css';

const route = getRouteApi('/sign-in');

/** A plain form, so that the key goes to the server and no script reads or keeps it. */
export function SignInScreen() {
  const { error, next } = route.useSearch();
  useEffect(() => {
    document.title = 'Sign in · Paybell';
  }, []);
  return (
    <main className={styles['page']}>
      <div className={styles['box']}>
        <Mark />
        <h1>Sign in</h1>
        {error === undefined ? null : (
          <div role="alert">
            <Note tone="bad">{signInWords(error)}</Note>
          </div>
        )}
        <form method="post" action="/dashboard/session" className={form['form']}>
          <input type="hidden" name="next" value={next ?? '/dashboard'} />
          <div className={form['field']}>
            <label htmlFor="key" className={form['label']}>
              API key
            </label>
            <input
              id="key"
              name="key"
              type="password"
              required
              // eslint-disable-next-line jsx-a11y/no-autofocus -- the one thing that this page is for
              autoFocus
              autoComplete="current-password"
              aria-describedby="key-hint"
              className={form['input']}
            />
            <span id="key-hint" className={form['hint']}>
              The key that Paybell printed at its first start, one of <code>API_KEYS</code>, or one of{' '}
              <code>paybell keys add NAME</code>.
            </span>
          </div>
          <button type="submit" className={buttonClass('primary')}>
            Sign in
          </button>
        </form>
      </div>
    </main>
  );
}
