import { queryOptions } from '@tanstack/react-query';

import { filled } from '../../api/client.ts';
import { request } from '../../api/request.ts';
import type { DeliveryDetail } from '../../api/types.ts';
import { memberText, parseExactly } from '../../format/json.ts';

/** A delivery with its event's text exactly as sent: the signature covers these bytes. */
export interface SentDelivery {
  readonly delivery: DeliveryDetail;
  readonly eventText: string;
}

export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ['delivery', id] as const,
    queryFn: async ({ signal }): Promise<SentDelivery> => {
      const answer = await request(filled('/api/webhook-deliveries/{id}', { id }), { signal });
      const text = await answer.text();
      return { delivery: parseExactly(text) as DeliveryDetail, eventText: memberText(text, 'event') ?? '' };
    },
    refetchInterval: ({ state }) => (state.data?.delivery.state === 'pending' ? 3_000 : false),
  });
}
