import { useSyncExternalStore } from 'react';

/** Requests that met the end of the session wait here until the person has signed in again. */
let waiting: PromiseWithResolvers<void> | null = null;
const listeners = new Set<() => void>();

/** Asks for a new sign-in; resolves once there is one. Several requests share one dialog. */
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
