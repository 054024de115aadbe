import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, startTransition, Suspense, useState } from 'react';

import { useMay, useRefusal } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { destinationNames, destinationsQuery, nameOf } from '../../api/queries.ts';
import { resend, type Resent } from '../../api/resend.ts';
import type { Delivery, Payment } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { useCopy } from '../../ui/copy.tsx';
import { Note } from '../../ui/notes.tsx';
import { ResendResult } from '../../ui/resend-result.tsx';
import { isWithheld } from '../../payment-facts/facts.ts';
import { deliveriesOfPaymentQuery, paymentQuery } from './payment-queries.ts';
import styles from './payment.module.css';
import { groupBy } from '../../format/group-by.ts';

const RawJson = lazy(async () => ({ default: (await import('./raw-json.tsx')).RawJson }));
const ReleaseDialog = lazy(async () => ({ default: (await import('./release-dialog.tsx')).ReleaseDialog }));
const ResolveDialog = lazy(async () => ({ default: (await import('./resolve-dialog.tsx')).ResolveDialog }));

type Opened = 'raw' | 'resolve' | 'release';

export function PaymentActions({ payment }: { payment: Payment }) {
  const { quoteId } = payment;
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened | null>(null);
  // In a transition the dialog appears as soon as its code is loaded: React delays updates that follow a fallback.
  const open = (dialog: Opened): void => startTransition(() => setOpened(dialog));
  const { isCopied, copy } = useCopy();
  const refresh = useMutation({
    mutationFn: () => call('post', '/api/payments/{quoteId}/refresh', { path: { quoteId } }),
    onSuccess: (fresh) => {
      client.setQueryData(paymentQuery(quoteId).queryKey, fresh);
      void client.invalidateQueries({ queryKey: ['payment', quoteId] });
    },
  });
  const takeBack = useMutation({
    mutationFn: () => call('delete', '/api/payments/{quoteId}/resolve', { path: { quoteId } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['payment', quoteId] }),
  });
  const repair = useRefusal('repair');
  const error = refresh.error ?? takeBack.error;
  return (
    <>
      {error === null ? null : (
        <div className={styles['refused']} role="alert">
          <Note tone="bad">{error.message}</Note>
        </div>
      )}
      <Button kind="quiet" onClick={() => copy(curlOf(quoteId))}>
        {isCopied ? 'Copied' : 'Copy as curl'}
      </Button>
      <Button kind="quiet" onClick={() => open('raw')}>
        Raw JSON
      </Button>
      {payment.resolution === null ? (
        <Button refusal={repair} onClick={() => open('resolve')}>
          Resolve…
        </Button>
      ) : (
        <Button refusal={repair} isBusy={takeBack.isPending} onClick={() => takeBack.mutate()}>
          Take the resolution back
        </Button>
      )}
      {isWithheld(payment) ? (
        <Button refusal={repair} onClick={() => open('release')}>
          Release…
        </Button>
      ) : null}
      <Button refusal={useRefusal('refresh')} isBusy={refresh.isPending} onClick={() => refresh.mutate()}>
        Refresh
      </Button>
      <SendAgain quoteId={quoteId} />
      <Suspense>
        {opened === 'raw' ? <RawJson quoteId={quoteId} onClose={() => setOpened(null)} /> : null}
        {opened === 'release' ? <ReleaseDialog quoteId={quoteId} onClose={() => setOpened(null)} /> : null}
        {opened === 'resolve' ? <ResolveDialog payments={[payment]} onClose={() => setOpened(null)} /> : null}
      </Suspense>
    </>
  );
}

/** If a destination lacks an event: sends the earliest missing one, and shows the result. */
function SendAgain({ quoteId }: { quoteId: string }) {
  const client = useQueryClient();
  const mayInspect = useMay('inspect');
  const refusal = useRefusal('repair');
  const { data: deliveries = [] } = useQuery(deliveriesOfPaymentQuery(quoteId, mayInspect));
  const { data: destinations } = useQuery(destinationsQuery(mayInspect));
  const names = destinationNames(destinations);
  const retry = useMutation({
    mutationFn: (first: Delivery) => resendFrom(first, deliveries),
    onSettled: () => client.invalidateQueries({ queryKey: ['payment', quoteId] }),
  });
  const missing = missingOf(deliveries).filter(({ endpointId }) => names.has(endpointId));
  const isDisabled = (endpointId: string): boolean =>
    destinations?.some(({ id, state }) => id === endpointId && state === 'disabled') ?? false;
  return (
    <>
      {missing.map((delivery) => (
        <Button
          key={delivery.endpointId}
          kind={missing.length === 1 ? 'primary' : 'plain'}
          refusal={refusal ?? (isDisabled(delivery.endpointId) ? 'Enable the endpoint first.' : null)}
          isBusy={retry.isPending && retry.variables.id === delivery.id}
          onClick={() => retry.mutate(delivery)}
        >
          Send again to {names.get(delivery.endpointId)}
        </Button>
      ))}
      <ResendResult
        name={retry.variables === undefined ? '' : nameOf(retry.variables)}
        isPending={retry.isPending}
        resent={retry.data}
        error={retry.error}
      />
    </>
  );
}

/** For each destination, the first delivery that was not sent, or that has failed and is not acknowledged. */
function missingOf(deliveries: readonly Delivery[]): Delivery[] {
  const missing = deliveries.filter(
    ({ state, attemptCount }) =>
      state === 'failed' || state === 'discarded' || (state === 'pending' && attemptCount > 0),
  );
  return [...groupBy(missing, ({ endpointId }) => endpointId).values()].flatMap(([first]) => first ?? []);
}

/** An event that was not sent goes out with those after it that were not: each alone would wait for a person too. */
async function resendFrom(first: Delivery, deliveries: readonly Delivery[]): Promise<Resent> {
  const unsent = deliveries.filter(
    ({ endpointId, state }) => endpointId === first.endpointId && state === 'discarded',
  );
  let resent = await resend(first.id);
  if (first.state !== 'discarded') return resent;
  for (const { id } of unsent.filter((each) => each !== first)) {
    if (resent.attempt?.failure !== null) break;
    resent = await resend(id);
  }
  return resent;
}

function curlOf(quoteId: string): string {
  const url = `${window.location.origin}/api/payments/${encodeURIComponent(quoteId)}`;
  return `curl -sS '${url}' -H "x-api-key: $PAYBELL_API_KEY"`;
}
