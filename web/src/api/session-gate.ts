import { useSyncExternalStore } from 'react';

/** Requests made after the end of the session wait here for the new sign-in. */
let waiting: PromiseWithResolvers<void> | null = null;
const listeners = new Set<() => void>();

/** Asks for a new sign-in; resolves after it. Several requests share one dialog. */
export function signedInAgain(): Promise<void> {
  if (waiting === null) {
    waiting = Promise.withResolvers<void>();
    announce();
  }
  return waiting.promise;
}

export function letRequestsOn(): void {
  waiting?.resolve();
  waiting = null;
  announce();
}

export function useIsSessionOver(): boolean {
  return useSyncExternalStore(subscribe, () => waiting !== null);
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
