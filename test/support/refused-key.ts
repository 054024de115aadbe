/**
 * The answers to a wrong key: 429 once its address has sent many wrong keys. Neither says anything about the rest of the
 * request.
 */
export const REFUSED_KEY: readonly unknown[] = [
  { status: 401, code: 'unauthorized' },
  { status: 429, code: 'too_many_wrong_keys' },
];
export const REFUSED_KEY_STATUSES = [401, 429];
