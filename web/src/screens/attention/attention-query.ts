import { queryOptions, useQuery } from '@tanstack/react-query';

import { useMay } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';

export function attentionQuery(isOn = true) {
  return queryOptions({
    queryKey: ['attention'] as const,
    queryFn: ({ signal }) => call('get', '/api/attention', { signal }),
    enabled: isOn,
    refetchInterval: 12_000,
  });
}

/** How many kinds of things need a person. */
export function useAttentionCount(): number {
  const { data } = useQuery(attentionQuery(useMay('inspect')));
  return data?.items.length ?? 0;
}
