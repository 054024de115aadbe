import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { fieldError, TextField } from '../../ui/form.tsx';
import form from '../../ui/form.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { textIn } from '../../ui/form-text.ts';

const ROLES = [
  ['shop', 'asks for quotes and reads payments: for the order system'],
  ['viewer', 'sees everything, changes nothing'],
  ['operator', 'also retries, recovers, tests and resolves'],
  ['admin', 'also changes endpoints, keys and sessions, reads the audit log'],
] as const;

type RoleName = (typeof ROLES)[number][0];

export function AddKey({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: (body: { name: string; role: RoleName }) => call('post', '/api/keys', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['access', 'keys'] }),
  });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    add.mutate({ name: textIn(data, 'name'), role: roleOf(textIn(data, 'role')) });
  }

  if (add.data !== undefined)
    return (
      <Dialog title={`The key ${add.data.name} is made`} onClose={onClose} isFirm>
        <SecretOnce what="API key" value={add.data.key} isOnce>
          Give it to the person or program that is to be <strong>{add.data.role}</strong>.
        </SecretOnce>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  const named = fieldError(add.error, 'name');
  return (
    <Dialog title="Add a key" onClose={onClose}>
      <form onSubmit={submit} className={form['form']}>
        <TextField
          name="name"
          label="Name"
          hint="Who or what uses it; the audit log shows it with each change."
          isRequired
          autoFocus
          maxLength={64}
          error={named}
        />
        <fieldset className={form['group']}>
          <legend>Role</legend>
          {ROLES.map(([role, text]) => (
            <label key={role} className={form['check']}>
              <input type="radio" name="role" value={role} defaultChecked={role === 'viewer'} />
              <span>
                <strong>{role}</strong> {text}
              </span>
            </label>
          ))}
        </fieldset>
        {add.isError && named === undefined ? <ProblemNote error={add.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={add.isPending}>
            Make the key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function roleOf(word: string): RoleName {
  return ROLES.find(([role]) => role === word)?.[0] ?? 'viewer';
}
