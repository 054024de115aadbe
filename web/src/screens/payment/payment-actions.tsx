import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, startTransition, Suspense, useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import type { Payment } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { useCopy } from '../../ui/copy.tsx';
import { Note } from '../../ui/notes.tsx';
import { isWithheld } from '../../../../src/domain/story/payment-facts.ts';
import { paymentQuery } from './payment-queries.ts';
import styles from './payment.module.css';
import { SendAgain } from './send-again.tsx';

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
      <SendAgain quoteId={quoteId} />
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
      <Button kind="quiet" onClick={() => copy(curlOf(quoteId))}>
        {isCopied ? 'Copied' : 'Copy as curl'}
      </Button>
      <Button kind="quiet" onClick={() => open('raw')}>
        Raw JSON
      </Button>
      <Suspense>
        {opened === 'raw' ? <RawJson quoteId={quoteId} onClose={() => setOpened(null)} /> : null}
        {opened === 'release' ? <ReleaseDialog quoteId={quoteId} onClose={() => setOpened(null)} /> : null}
        {opened === 'resolve' ? <ResolveDialog payments={[payment]} onClose={() => setOpened(null)} /> : null}
      </Suspense>
    </>
  );
}

function curlOf(quoteId: string): string {
  const url = `${window.location.origin}/api/payments/${encodeURIComponent(quoteId)}`;
  return `curl -sS '${url}' -H "x-api-key: $PAYBELL_API_KEY"`;
}
