import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, startTransition, Suspense, useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { resend } from '../../api/resend.ts';
import type { Payment } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { Button } from '../../ui/button.tsx';
import styles from './payments.module.css';
import { useChosen } from './use-selection.ts';

const ResolveDialog = lazy(async () => ({
  default: (await import('../payment/resolve-dialog.tsx')).ResolveDialog,
}));

/** What can be done with the payments that were selected, and what came of it. */
export function BulkBar({ payments }: { payments: readonly Payment[] }) {
  const { chosen, clear } = useChosen();
  const [isResolving, setIsResolving] = useState(false);
  const client = useQueryClient();
  const refusal = useRefusal('repair');
  const selected = payments.filter(({ quoteId }) => chosen.has(quoteId));
  const send = useMutation({
    mutationFn: sendMissing,
    onSettled: () => client.invalidateQueries({ queryKey: ['payments', 'progress'] }),
  });
  const said = send.isPending ? 'Sending, and waiting for the answers.' : (send.error?.message ?? send.data);
  return (
    <div className={styles['bulk']} hidden={selected.length === 0 && said === undefined}>
      {selected.length === 0 ? null : (
        <>
          <strong>{counted(selected.length, 'payment')} selected</strong>
          <Button
            size="s"
            refusal={refusal}
            isBusy={send.isPending}
            onClick={() => send.mutate(selected.map(({ quoteId }) => quoteId))}
          >
            Send again
          </Button>
          <Button size="s" refusal={refusal} onClick={() => startTransition(() => setIsResolving(true))}>
            Resolve…
          </Button>
        </>
      )}
      <span role="status">{said}</span>
      <Button
        kind="quiet"
        size="s"
        onClick={() => {
          clear();
          send.reset();
        }}
      >
        Clear
      </Button>
      <Suspense>
        {isResolving ? (
          <ResolveDialog
            payments={selected}
            onClose={() => setIsResolving(false)}
            onResolved={() => {
              clear();
              void client.invalidateQueries({ queryKey: ['payments'] });
            }}
          />
        ) : null}
      </Suspense>
    </div>
  );
}

/** For each payment and destination, the first event that was not acknowledged there. */
async function sendMissing(quoteIds: readonly string[]): Promise<string> {
  const { data } = await call('get', '/api/payment-progress', { query: { quoteId: [...quoteIds] } });
  const missing = data.flatMap(({ deliveries, exchange }) =>
    [...deliveries, ...(exchange === null ? [] : [exchange])].filter(
      ({ state }) => state === 'pending' || state === 'failed',
    ),
  );
  if (missing.length === 0) return 'All of their events were acknowledged everywhere.';
  let acknowledged = 0;
  // One after the other: a destination that ails is not flooded.
  for (const { id } of missing) if ((await resend(id)).attempt?.failure === null) acknowledged += 1;
  const sent = counted(missing.length, 'event');
  return acknowledged === missing.length
    ? `${sent} sent again, and all acknowledged.`
    : `${sent} sent again: ${acknowledged} acknowledged, ${missing.length - acknowledged} not.`;
}
