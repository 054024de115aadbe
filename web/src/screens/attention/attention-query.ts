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
 * The number on the badge: payments that need a person, taken from the card with the most, since cards share payments; or
 * things, if no card is about payments. Null: nothing needs a person.
 */
export function useAttentionCount(): { shown: string; what: string } | null {
  const { data: { items = [] } = {} } = useQuery(attentionQuery(useMay('inspect')));
  const [most] = items
    .filter((item) => item.count > 0 && item.href.startsWith('/api/payments'))
    .sort((one, other) => other.count - one.count);
  if (most !== undefined)
    return { shown: `${count(most.count)}${most.isMore ? '+' : ''}`, what: nounOf(most.count, 'payment') };
  return items.length === 0 ? null : { shown: String(items.length), what: nounOf(items.length, 'thing') };
}

function nounOf(number: number, one: string): string {
  return number === 1 ? `${one} needs a person` : `${one}s need a person`;
}
