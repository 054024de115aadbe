import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import type { Endpoint, TestResult } from '../../api/types.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { took } from '../../format/time.ts';
import { EVENT_TYPES, OPERATIONAL_TYPES } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import form from '../../ui/form.module.css';
import { Note, ProblemNote } from '../../ui/notes.tsx';
import styles from './endpoint.module.css';

const TEST_TYPE = 'webhook.test';
type TestType = typeof TEST_TYPE | (typeof EVENT_TYPES | typeof OPERATIONAL_TYPES)[number];

export function SendTest({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const client = useQueryClient();
  const [type, setType] = useState<TestType>(TEST_TYPE);
  const test = useMutation({
    mutationFn: () =>
      call('post', '/api/webhook-endpoints/{id}/test', { path: { id: endpoint.id }, body: { type } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['endpoint', endpoint.id] }),
  });
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <DialogText>
        One signed event is posted to <strong className={styles['url']}>{endpoint.url}</strong> now, and you
        see what it answers.{' '}
        {type === TEST_TYPE
          ? 'It belongs to no payment.'
          : 'It is an example: its payment does not exist, and its quote id begins with example-.'}
      </DialogText>
      <div className={form['field']}>
        <label htmlFor="test-type" className={form['label']}>
          Event type
        </label>
        <select
          id="test-type"
          className={form['input']}
          value={type}
          onChange={({ target }) => {
            setType(target.value as TestType);
            test.reset();
          }}
        >
          {[TEST_TYPE, ...EVENT_TYPES, ...OPERATIONAL_TYPES].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
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
  const { delivered, httpStatus, durationMs, failure, code, advice, body } = result;
  return (
    <div className={styles['result']} role="status">
      <Note tone={delivered ? 'ok' : 'bad'}>
        <span>
          <strong>{delivered ? 'Acknowledged' : 'Not acknowledged'}</strong>:{' '}
          {httpStatus === null ? '' : 'it '}
          {attemptWords(failure, httpStatus)}
          {code === null ? '' : ` (${code})`} in {took(durationMs)}. {advice}
        </span>
      </Note>
      {body === null || body === '' ? null : <Code text={body} what="answer of the endpoint" />}
    </div>
  );
}
