import { useState, type FormEvent } from 'react';
import { Dialog, Heading, Input, Label, Modal, ModalOverlay, TextField } from 'react-aria-components';

import { letRequestsOn } from '../api/session-gate.ts';
import { Button } from '../ui/button.tsx';
import dialog from '../ui/dialog.module.css';
import form from '../ui/form.module.css';
import { signIn, signInWords, type SignInError } from './sign-in.ts';
import { textIn } from '../ui/form-text.ts';

/** Signs in again on top of the open page; requests made meanwhile are then repeated. */
export function SessionDialog() {
  const [error, setError] = useState<SignInError | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    setIsBusy(true);
    const failed = await signIn(textIn(new FormData(event.currentTarget), 'key'));
    setIsBusy(false);
    setError(failed);
    if (failed === null) letRequestsOn();
  }

  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className={dialog['overlay'] ?? ''}>
      <Modal className={dialog['modal'] ?? ''}>
        <Dialog className={dialog['dialog'] ?? ''}>
          <Heading slot="title" className={dialog['title'] ?? ''}>
            Sign in again
          </Heading>
          <p className={dialog['text']}>Your session has ended. Nothing that you typed is lost.</p>
          <form onSubmit={(event) => void submit(event)} className={form['form']}>
            <TextField name="key" type="password" isRequired autoFocus className={form['field'] ?? ''}>
              <Label className={form['label'] ?? ''}>API key</Label>
              <Input className={form['input'] ?? ''} autoComplete="current-password" />
            </TextField>
            {error === null ? null : (
              <p role="alert" className={form['error']}>
                {signInWords(error)}
              </p>
            )}
            <div className={dialog['actions']}>
              <Button type="submit" kind="primary" isBusy={isBusy}>
                Sign in
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
