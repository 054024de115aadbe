import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { fieldError, TextField } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-text.ts';
import form from '../../ui/form.module.css';
import { ProblemNote } from '../../ui/notes.tsx';

interface ReleaseDialogProps {
  readonly quoteId: string;
  readonly onClose: () => void;
}

/** Completes a payment that waits for its proof, on a person's word. */
export function ReleaseDialog({ quoteId, onClose }: ReleaseDialogProps) {
  const client = useQueryClient();
  const release = useMutation({
    mutationFn: (reason: string) =>
      call('post', '/api/payments/{quoteId}/release', { path: { quoteId }, body: { reason } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['payment', quoteId] });
      onClose();
    },
  });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    release.mutate(textIn(new FormData(event.currentTarget), 'reason'));
  }

  return (
    <Dialog title="Release this payment" onClose={onClose}>
      <DialogText>
        The shop is told that the payment is completed, though no chain has proven it, and may hand the goods
        out. This cannot be taken back.
      </DialogText>
      <form onSubmit={submit} className={form['form']}>
        <TextField
          name="reason"
          label="How do you know that the money is there?"
          hint="For the audit log and the shop, up to 500 characters"
          maxLength={500}
          error={fieldError(release.error, 'reason')}
        />
        {release.isError ? <ProblemNote error={release.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={release.isPending}>
            Release
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
