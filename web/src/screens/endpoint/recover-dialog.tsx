import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import type { Endpoint } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import form from '../../ui/form.module.css';
import { Note, ProblemNote } from '../../ui/notes.tsx';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface RecoverDialogProps {
  readonly endpoint: Endpoint;
  readonly since: string | null;
  readonly onClose: () => void;
}

/** First counts the events to send again; only then can the recovery be started. */
export function RecoverDialog({ endpoint, since: from, onClose }: RecoverDialogProps) {
  const client = useQueryClient();
  const [since, setSince] = useState(() => localInput(startOf(endpoint, from)));
  const recover = useMutation({
    mutationFn: (dryRun: boolean) =>
      call('post', '/api/webhook-endpoints/{id}/recover', {
        path: { id: endpoint.id },
        body: { since: new Date(since).toISOString(), dryRun },
      }),
    onSuccess: ({ id }) => {
      if (id === null) return;
      for (const queryKey of [['endpoint', endpoint.id], ['attention']])
        void client.invalidateQueries({ queryKey });
      onClose();
    },
  });
  const answer = recover.data;
  const isReadable = !Number.isNaN(new Date(since).getTime());
  return (
    <Dialog title="Recover missed events" onClose={onClose}>
      <DialogText>
        Sends every event again that this endpoint has not acknowledged since then: given up, waiting, or made
        while it was disabled. In order per payment, each with its same id.
      </DialogText>
      <div className={form['field']}>
        <label htmlFor="since" className={form['label']}>
          Since
        </label>
        <input
          id="since"
          type="datetime-local"
          className={form['input']}
          value={since}
          onChange={({ target }) => {
            setSince(target.value);
            recover.reset();
          }}
        />
      </div>
      {recover.isError ? <ProblemNote error={recover.error} /> : null}
      <div role="status">
        {answer === undefined ? null : (
          <Note tone={answer.count === 0 ? 'ok' : 'busy'}>
            {answer.count === 0
              ? 'It has acknowledged everything since then: there is nothing to send.'
              : `${answer.exact ? '' : 'At least '}${counted(answer.count, 'event')} will be sent again.`}
          </Note>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind={answer === undefined ? 'primary' : 'plain'}
          refusal={isReadable ? null : 'Say since when.'}
          isBusy={recover.isPending}
          onClick={() => recover.mutate(true)}
        >
          Count first
        </Button>
        <Button
          kind="primary"
          refusal={answer === undefined || answer.count === 0 ? 'Count what there is first.' : null}
          isBusy={recover.isPending}
          onClick={() => recover.mutate(false)}
        >
          Send them again
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/**
 * The minute before the first event that the endpoint lacks, if known: an event is recorded a moment after its time. Otherwise
 * one day ago.
 */
function startOf({ failingSince, refused, unsent }: Endpoint, from: string | null): number {
  const known = [from, failingSince, refused.since, unsent.since].flatMap((at) => at ?? []);
  if (known.length === 0) return Date.now() - DAY_MS;
  return Math.min(...known.map((at) => Date.parse(at))) - MINUTE_MS;
}

function localInput(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
