import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';

import { call } from '../api/client.ts';
import { requestOnce } from '../api/request.ts';
import type { Whoami } from '../api/types.ts';
import { mayUse, refusalFor, type Right } from './roles.ts';

/** The signed-in person, and the Paybell that answers. */
export const whoamiQuery = queryOptions({
  queryKey: ['whoami'],
  queryFn: ({ signal }) => call('get', '/api/whoami', { signal }),
  staleTime: Infinity,
});

/** For the first request of the page: without a session it throws instead of waiting for a sign-in. */
export async function firstWhoami(): Promise<Whoami> {
  const response = await requestOnce('/api/whoami', {});
  return (await response.json()) as Whoami;
}

export function useWhoami(): Whoami {
  return useSuspenseQuery(whoamiQuery).data;
}

export function useMay(right: Right): boolean {
  return mayUse(useWhoami().role, right);
}

/** Why the role may not use a control; null if it may. */
export function useRefusal(right: Right): string | null {
  return refusalFor(useWhoami().role, right);
}
