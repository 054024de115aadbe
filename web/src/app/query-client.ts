import { QueryClient } from '@tanstack/react-query';

import { Problem, Unreachable } from '../api/problem.ts';

const FRESH_MS = 2_000;
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 15_000;

/** No answer came, or the answer was "later": another try is worthwhile. Other refusals are final. */
export function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Problem && error.status === 503);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always',
      retry: (_failures, error) => isPassing(error),
      retryDelay: (failures) => Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
