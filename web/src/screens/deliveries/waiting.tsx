import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { call } from '../../api/client.ts';
import type { Delivery } from '../../api/types.ts';
import { waitWords } from '../../format/words.ts';
import table from '../../ui/table.module.css';

/** The reason why a delivery waits; behind an earlier event, with a link to that delivery. */
export function Waiting({ delivery }: { delivery: Delivery }) {
  const { waitingFor } = delivery;
  if (waitingFor === null) return null;
  return waitingFor === 'earlier_event' ? <Behind delivery={delivery} /> : <>{waitWords(waitingFor)}</>;
}

function Behind({ delivery: { quoteId, endpointId, sequence } }: { delivery: Delivery }) {
  const { data = [] } = useQuery(laneQuery(quoteId, endpointId));
  const head = data.findLast((other) => other.sequence < sequence);
  if (head === undefined) return <>{waitWords('earlier_event')}</>;
  return (
    <Link to="/deliveries/$deliveryId" params={{ deliveryId: head.id }} className={table['above']}>
      behind {head.type} #{head.sequence}
    </Link>
  );
}

/**
 * The deliveries of a payment that an endpoint has not acknowledged, the newest first: the first event holds back the others.
 */
function laneQuery(quoteId: string, endpointId: string) {
  return {
    queryKey: ['lane', quoteId, endpointId] as const,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Delivery[]> => {
      const query = { quoteId, endpointId, state: ['pending' as const], limit: 100 };
      return (await call('get', '/api/webhook-deliveries', { query, signal })).data;
    },
    staleTime: 5_000,
  };
}
