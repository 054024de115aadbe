import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { useMay, useRefusal } from '../../access/whoami.ts';
import { destinationNames, destinationsQuery } from '../../api/queries.ts';
import { resend, type Resent } from '../../api/resend.ts';
import type { Delivery } from '../../api/types.ts';
import { groupBy } from '../../format/group-by.ts';
import { Button } from '../../ui/button.tsx';
import { ResendResult } from '../../ui/resend-result.tsx';
import { deliveriesOfPaymentQuery } from './payment-queries.ts';
import styles from './payment.module.css';

interface Missing {
  readonly endpointId: string;
  readonly name: string;
  readonly deliveries: readonly Delivery[];
}

/** Where a destination lacks events: sends them in their order, and shows the answers. */
export function SendAgain({ quoteId }: { quoteId: string }) {
  const client = useQueryClient();
  const mayInspect = useMay('inspect');
  const refusal = useRefusal('repair');
  const { data: deliveries = [] } = useQuery(deliveriesOfPaymentQuery(quoteId, mayInspect));
  const { data: destinations } = useQuery(destinationsQuery(mayInspect));
  const names = destinationNames(destinations);
  const disabled = new Set(destinations?.filter(({ state }) => state === 'disabled').map(({ id }) => id));
  const send = useMutation({
    mutationFn: (missing: Missing) => resendAll(missing.deliveries),
    onSettled: () => client.invalidateQueries({ queryKey: ['payment', quoteId] }),
  });
  const missing = missingOf(deliveries, names);
  return (
    <>
      {missing.map((each) => (
        <Button
          key={each.endpointId}
          kind={missing.length === 1 ? 'primary' : 'plain'}
          refusal={disabled.has(each.endpointId) ? 'Enable the endpoint first.' : refusal}
          isBusy={send.isPending && send.variables.endpointId === each.endpointId}
          onClick={() => send.mutate(each)}
        >
          <span>
            Send again to <span className={styles['name']}>{each.name}</span>
          </span>
        </Button>
      ))}
      <ResendResult
        name={send.variables?.name ?? ''}
        isPending={send.isPending}
        resent={send.data}
        error={send.error}
      />
    </>
  );
}

/** If a destination gives no answer, the rest is left to its retries. */
async function resendAll(deliveries: readonly Delivery[]): Promise<Resent[]> {
  const resent: Resent[] = [];
  for (const { id } of deliveries) {
    const one = await resend(id);
    resent.push(one);
    if (one.attempt === null || (one.attempt.failure !== null && one.attempt.httpStatus === null)) break;
  }
  return resent;
}

/**
 * For each present destination, the events that it lacks and that no earlier event holds back: those that failed at least
 * once, and those that were not sent while it was disabled.
 */
function missingOf(deliveries: readonly Delivery[], names: ReadonlyMap<string, string>): Missing[] {
  const missing = deliveries.filter(
    ({ state, attemptCount }) =>
      state === 'failed' || state === 'discarded' || (state === 'pending' && attemptCount > 0),
  );
  return [...groupBy(missing, ({ endpointId }) => endpointId)].flatMap(([endpointId, own]) => {
    const name = names.get(endpointId);
    return name === undefined ? [] : [{ endpointId, name, deliveries: own }];
  });
}
