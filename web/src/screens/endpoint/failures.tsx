import { useQuery } from '@tanstack/react-query';

import { count, counted } from '../../format/amount.ts';
import { failureWords } from '../../../../src/domain/story/failure-words.ts';
import { Panel } from '../../ui/panel.tsx';
import { Ago } from '../../ui/time.tsx';
import { failuresQuery } from './endpoint-queries.ts';
import styles from './endpoint.module.css';

/** The failures of deliveries that the endpoint has not acknowledged, the newest kind first, with advice. */
export function Failures({ endpointId }: { endpointId: string }) {
  const { data } = useQuery(failuresQuery(endpointId));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Panel title="How it fails">
      <ul className={styles['failures']}>
        {data.data.map(({ failure, code, advice, httpStatus, attempts, payments, firstAt, lastAt, body }) => (
          <li key={`${failure} ${code} ${httpStatus}`} className={styles['failure']}>
            <b aria-hidden="true">{count(attempts)}</b>
            <div>
              <strong>
                {failureWords(failure)}
                {httpStatus === null ? '' : `: ${httpStatus}`}
                {code === null ? '' : ` (${code})`}
              </strong>{' '}
              <span className={styles['dim']}>
                {counted(attempts, 'attempt')} of {counted(payments, 'payment')}, the first{' '}
                <Ago at={firstAt} />, the last <Ago at={lastAt} />
              </span>
              {body === null || body === '' ? null : <pre className={styles['answer']}>{body}</pre>}
              <p>{advice}</p>
            </div>
          </li>
        ))}
      </ul>
      {data.isMore ? <p className={styles['dim']}>Of the newest 10,000 deliveries.</p> : null}
    </Panel>
  );
}
