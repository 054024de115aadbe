import type { FormEvent } from 'react';

import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { textIn } from '../../ui/form-text.ts';
import { TextField } from '../../ui/form.tsx';
import form from '../../ui/form.module.css';

interface NameFilterProps {
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name under which to keep a filter. */
export function NameFilter({ onName, onClose }: NameFilterProps) {
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const name = textIn(new FormData(event.currentTarget), 'name');
    if (name !== '') onName(name);
  }

  return (
    <Dialog title="Save this filter" onClose={onClose}>
      <form onSubmit={submit} className={form['form']}>
        <TextField
          name="name"
          label="Name"
          hint="It is kept in this browser."
          isRequired
          autoFocus
          maxLength={40}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
