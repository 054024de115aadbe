import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { lastAnswerAt, useConnection } from '../api/connection.ts';
import { localTime } from '../format/time.ts';
import { Note } from '../ui/notes.tsx';
import styles from './shell.module.css';

const RETRY_MS = 4_000;

/** Warns that the page shows old data because the service or its database does not answer; disappears by itself. */
export function ConnectionNote() {
  const connection = useConnection();
  const client = useQueryClient();
  useEffect(() => {
    if (connection === 'ok') return undefined;
    const timer = setInterval(() => void client.refetchQueries({ type: 'active' }), RETRY_MS);
    return () => clearInterval(timer);
  }, [connection, client]);
  return (
    <div role="status" className={styles['connection']}>
      {connection === 'ok' ? null : (
        <Note tone="bad">
          {connection === 'unreachable'
            ? 'Paybell does not answer.'
            : 'Paybell runs, but its database does not answer.'}{' '}
          What you see is from {localTime(lastAnswerAt())}; the page tries again by itself.
        </Note>
      )}
    </div>
  );
}
