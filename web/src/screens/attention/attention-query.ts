import { queryOptions, useQuery } from '@tanstack/react-query';

import { useMay } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { count } from '../../format/amount.ts';

export function attentionQuery(isOn = true) {
  return queryOptions({
    queryKey: ['attention'] as const,
    queryFn: ({ signal }) => call('get', '/api/attention', { signal }),
    enabled: isOn,
    refetchInterval: 12_000,
  });
}

/**
 * The number on the badge: payments that need a person, each once; or other troubles, if no payment does. Null: nothing needs
 * a person.
 */
export function useAttentionCount(): { shown: string; what: string } | null {
  const { data } = useQuery(attentionQuery(useMay('inspect')));
  if (data === undefined) return null;
  const { payments, items } = data;
  if (payments.count > 0)
    return {
      shown: `${count(payments.count)}${payments.isMore ? '+' : ''}`,
      what: nounOf(payments.count, 'payment'),
    };
  return items.length === 0 ? null : { shown: String(items.length), what: nounOf(items.length, 'thing') };
}

function nounOf(number: number, one: string): string {
  return number === 1 ? `${one} needs a person` : `${one}s need a person`;
}
