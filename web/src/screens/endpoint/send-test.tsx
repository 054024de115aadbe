import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import type { Endpoint, TestResult } from '../../api/types.ts';
import { attemptWords, failureWords } from '../../format/failures.ts';
import { took } from '../../format/time.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { Note, ProblemNote } from '../../ui/notes.tsx';
import styles from './endpoint.module.css';

export function SendTest({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => call('post', '/api/webhook-endpoints/{id}/test', { path: { id: endpoint.id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['endpoint', endpoint.id] }),
  });
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <DialogText>
        One signed event of the type <code>webhook.test</code> is posted to <strong>{endpoint.url}</strong>{' '}
        now, and you see what it answers. It belongs to no payment.
      </DialogText>
      {test.isError ? <ProblemNote error={test.error} /> : null}
      {test.data === undefined ? null : <Result result={test.data} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" isBusy={test.isPending} onClick={() => test.mutate()}>
          {test.data === undefined ? 'Send the test' : 'Send it again'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Result({ result }: { result: TestResult }) {
  const { delivered, httpStatus, durationMs, failure, body } = result;
  return (
    <div className={styles['result']} role="status">
      <Note tone={delivered ? 'ok' : 'bad'}>
        <span>
          <strong>{delivered ? 'Acknowledged' : 'Not acknowledged'}</strong>: it{' '}
          {attemptWords(failure, httpStatus)} in {took(durationMs)}.{' '}
          {failure === null ? '' : failureWords(failure).advice}
        </span>
      </Note>
      {body === null || body === '' ? null : <Code text={body} what="answer of the endpoint" />}
    </div>
  );
}
