import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';

import { call } from '../../api/client.ts';
import type { Payment } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/form.tsx';
import form from '../../ui/form.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { SETTLEMENT_REASONS } from '../../../../src/domain/story/event-words.ts';
import { textIn } from '../../ui/form-text.ts';

type ReasonName = keyof typeof SETTLEMENT_REASONS;
const REASONS = Object.keys(SETTLEMENT_REASONS) as ReasonName[];

interface ResolveDialogProps {
  readonly payments: readonly Payment[];
  readonly onClose: () => void;
  readonly onResolved?: () => void;
}

/** Removes payments that a person has settled by hand from the lists of Attention. */
export function ResolveDialog({ payments, onClose, onResolved }: ResolveDialogProps) {
  const client = useQueryClient();
  const [reason, setReason] = useState<ReasonName>('refunded');
  const resolve = useMutation({
    mutationFn: async (note: string) => {
      const body = note === '' ? { reason } : { reason, note };
      for (const { quoteId } of payments)
        await call('post', '/api/payments/{quoteId}/resolve', { path: { quoteId }, body });
    },
    onSuccess: () => {
      for (const { quoteId } of payments) void client.invalidateQueries({ queryKey: ['payment', quoteId] });
      onResolved?.();
      onClose();
    },
  });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    resolve.mutate(textIn(new FormData(event.currentTarget), 'note'));
  }

  return (
    <Dialog title={`Resolve ${titleOf(payments)}`} onClose={onClose}>
      <DialogText>
        For what you have settled in another way. It leaves the lists of what needs attention; its status
        stays, Paybell goes on watching, and what the provider says later wins.
      </DialogText>
      <form onSubmit={submit} className={form['form']}>
        <fieldset className={form['group']}>
          <legend>How was it settled?</legend>
          <div className={form['checks']}>
            {REASONS.map((word) => (
              <label key={word} className={form['check']}>
                <input
                  type="radio"
                  name="reason"
                  value={word}
                  checked={reason === word}
                  onChange={() => setReason(word)}
                />
                {SETTLEMENT_REASONS[word]}
              </label>
            ))}
          </div>
        </fieldset>
        <TextField
          name="note"
          label="Note"
          hint="For the audit log and the shop, up to 500 characters"
          maxLength={500}
        />
        {resolve.isError ? <ProblemNote error={resolve.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={resolve.isPending}>
            Resolve
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function titleOf([first, ...others]: readonly Payment[]): string {
  return others.length > 0 ? counted(others.length + 1, 'payment') : (first?.orderId ?? 'this payment');
}
