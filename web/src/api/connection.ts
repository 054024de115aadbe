import { useSyncExternalStore } from 'react';

/** How the last request ended, as far as that shows the service's state. */
export type Connection = 'ok' | 'unreachable' | 'database';

let current: Connection = 'ok';
let since = Date.now();
const listeners = new Set<() => void>();

export function noteConnection(connection: Connection): void {
  if (connection === 'ok') since = Date.now();
  if (connection === current) return;
  current = connection;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => current);
}

/** When an answer last came. */
export function lastAnswerAt(): number {
  return since;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
