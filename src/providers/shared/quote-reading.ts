/** A provider's quote, read and compared with the request. */
export type Reading<T> =
  | { readonly kind: 'good'; readonly value: T }
  /** The answer differs from the request or is unreadable: its deposit address must not be shown. */
  | { readonly kind: 'unsafe'; readonly check: string };

/** A condition on a quote, by the name that the log shows. */
export type Check = readonly [name: string, isGood: boolean];

/** The name of the first check that fails; null when all pass. */
export function failedOf(checks: readonly Check[]): string | null {
  return checks.find(([, isGood]) => !isGood)?.[0] ?? null;
}
