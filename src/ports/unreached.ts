/** Reasons of requests that never reached the provider. */
export const UNREACHED = {
  refused: 'connection refused',
  unnamed: 'name not found',
  unrouted: 'no route',
} as const;

/** False: a request that failed for this reason certainly never reached the provider. */
export function mayHaveReached(reason: string): boolean {
  return !Object.values<string>(UNREACHED).includes(reason);
}
