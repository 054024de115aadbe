import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, startTransition, Suspense, useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { resend } from '../../api/resend.ts';
import type { Payment } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { Button } from '../../ui/button.tsx';
import styles from './payments.module.css';
import { useChosen } from './use-selection.ts';

const ResolveDialog = lazy(async () => ({
  default: (await import('../payment/resolve-dialog.tsx')).ResolveDialog,
}));

/** How many payments one request covers. */
const ASKED = 100;

type Result = 'acknowledged' | 'not acknowledged' | { readonly refusal: string };

/** The actions on the selected payments, and their results. */
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
  const [resolved, setResolved] = useState<string>();
  const sent = send.isPending ? 'Sending, and waiting for the answers.' : (send.error?.message ?? send.data);
  const said = sent ?? resolved;
  return (
    <div className={styles['bulk']} hidden={selected.length === 0 && said === undefined}>
      {selected.length === 0 ? null : (
        <>
          <strong>{counted(selected.length, 'payment')} selected</strong>
          <Button
            size="s"
            refusal={refusal}
            isBusy={send.isPending}
            onClick={() => {
              setResolved(undefined);
              send.mutate(selected.map(({ quoteId }) => quoteId));
            }}
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
          setResolved(undefined);
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
              send.reset();
              setResolved(`${counted(selected.length, 'payment')} resolved.`);
              clear();
              void client.invalidateQueries({ queryKey: ['payments'] });
            }}
          />
        ) : null}
      </Suspense>
    </div>
  );
}

/** For each payment and destination, the first unacknowledged event. */
async function sendMissing(quoteIds: readonly string[]): Promise<string> {
  const missing: string[] = [];
  for (let start = 0; start < quoteIds.length; start += ASKED) {
    const quoteId = quoteIds.slice(start, start + ASKED);
    const { data } = await call('get', '/api/payment-progress', { query: { quoteId } });
    for (const { deliveries, exchange } of data)
      for (const { id, state } of [...deliveries, ...(exchange === null ? [] : [exchange])])
        if (state === 'pending' || state === 'failed') missing.push(id);
  }
  if (missing.length === 0) return 'All of their events were acknowledged everywhere.';
  // One after another: a destination in trouble is not flooded.
  const results: Result[] = [];
  for (const id of missing) results.push(await resultOf(id));
  return resultWords(results);
}

/** A refused delivery, as to a disabled endpoint, does not stop the others. */
async function resultOf(id: string): Promise<Result> {
  try {
    const { attempt } = await resend(id);
    return attempt?.failure === null ? 'acknowledged' : 'not acknowledged';
  } catch (error) {
    if (error instanceof Problem) return { refusal: error.message };
    throw error;
  }
}

function resultWords(results: readonly Result[]): string {
  const refusals = results.flatMap((result) => (typeof result === 'string' ? [] : [result.refusal]));
  const sent = results.length - refusals.length;
  const acknowledged = results.filter((result) => result === 'acknowledged').length;
  const answers =
    acknowledged === sent
      ? 'and all acknowledged'
      : `${acknowledged} acknowledged, ${sent - acknowledged} not`;
  const said =
    sent === 0
      ? []
      : [`${counted(sent, 'event')} sent again${acknowledged === sent ? ', ' : ': '}${answers}.`];
  const refused =
    refusals.length === 0 ? [] : [`${counted(refusals.length, 'event')} not sent: ${refusals[0]}`];
  return [...said, ...refused].join(' ');
}
