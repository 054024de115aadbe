import { queryOptions, useQuery } from '@tanstack/react-query';

import { useMay } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { type Needed, neededOf } from './attention-words.ts';

export function attentionQuery(isOn = true) {
  return queryOptions({
    queryKey: ['attention'] as const,
    queryFn: ({ signal }) => call('get', '/api/attention', { signal }),
    enabled: isOn,
    refetchInterval: 12_000,
  });
}

/** The number on the badge. Null: nothing needs a person. */
export function useAttentionCount(): Needed | null {
  const { data } = useQuery(attentionQuery(useMay('inspect')));
  return data === undefined ? null : neededOf(data);
}
