import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, startTransition, Suspense, useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import type { Payment } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import styles from './payments.module.css';
import { sendMissing, type SentAgain } from './send-missing.ts';
import { useChosen } from './use-selection.ts';

const ResolveDialog = lazy(async () => ({
  default: (await import('../payment/resolve-dialog.tsx')).ResolveDialog,
}));

/** A person confirms a retry of this many payments or more. */
const MANY = 10;

/** The actions on the selected payments, and their results. */
export function BulkBar({ payments }: { payments: readonly Payment[] }) {
  const { chosen, clear } = useChosen();
  const [open, setOpen] = useState<'resolve' | 'question' | null>(null);
  const [resolved, setResolved] = useState<string>();
  const client = useQueryClient();
  const refusal = useRefusal('repair');
  const selected = payments.filter(({ quoteId }) => chosen.has(quoteId));
  const send = useSending();
  const close = (): void => setOpen(null);
  const begin = (): void => {
    close();
    setResolved(undefined);
    send.begin(selected);
  };
  const said = send.said ?? resolved;
  return (
    <div className={styles['bulk']} hidden={selected.length === 0 && said === undefined}>
      {selected.length === 0 ? null : (
        <>
          <strong>{counted(selected.length, 'payment')} selected</strong>
          <Button
            size="s"
            refusal={refusal}
            isBusy={send.isPending}
            onClick={() => (selected.length < MANY ? begin() : setOpen('question'))}
          >
            Send again{selected.length < MANY ? '' : '…'}
          </Button>
          <Button size="s" refusal={refusal} onClick={() => startTransition(() => setOpen('resolve'))}>
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
      <Failures failures={send.failures} />
      {open === 'question' ? <Question count={selected.length} onSend={begin} onClose={close} /> : null}
      <Suspense>
        {open === 'resolve' ? (
          <ResolveDialog
            payments={selected}
            onClose={close}
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

function useSending() {
  const client = useQueryClient();
  const [progress, setProgress] = useState('');
  const send = useMutation({
    mutationFn: (payments: readonly Payment[]) =>
      sendMissing(payments, (sent, all) => setProgress(all === 1 ? '' : ` ${sent + 1} of ${all}`)),
    onMutate: () => setProgress(''),
    onSettled: () => client.invalidateQueries({ queryKey: ['payments', 'progress'] }),
  });
  return {
    begin: send.mutate,
    reset: send.reset,
    isPending: send.isPending,
    said: send.isPending
      ? `Sending${progress}, and waiting for the answers.`
      : (send.error?.message ?? send.data?.summary),
    failures: send.data?.failures ?? [],
  };
}

/** Each event that was not acknowledged, with its payment and the reason. */
function Failures({ failures }: Pick<SentAgain, 'failures'>) {
  if (failures.length === 0) return null;
  return (
    <ul className={styles['failures']} aria-label="Not acknowledged" tabIndex={-1}>
      {failures.map(({ deliveryId, payment, words }) => (
        <li key={deliveryId}>
          <Link to="/deliveries/$deliveryId" params={{ deliveryId }}>
            {payment}
          </Link>{' '}
          {words}
        </li>
      ))}
    </ul>
  );
}

interface QuestionProps {
  readonly count: number;
  readonly onSend: () => void;
  readonly onClose: () => void;
}

function Question({ count, onSend, onClose }: QuestionProps) {
  return (
    <Dialog title={`Send again for ${counted(count, 'payment')}?`} onClose={onClose}>
      <DialogText>
        Each destination gets the first event of each payment that it has not acknowledged, one event after
        another. Each answer is waited for.
      </DialogText>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" autoFocus onClick={onSend}>
          Send again
        </Button>
      </DialogActions>
    </Dialog>
  );
}
