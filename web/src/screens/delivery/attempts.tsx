import { EXCHANGE, type Attempt, type DeliveryDetail } from '../../api/types.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { took } from '../../format/time.ts';
import { Code } from '../../ui/code.tsx';
import { cx } from '../../ui/cx.ts';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './delivery.module.css';

/** Each attempt with its answer, the newest first. */
export function Attempts({
  delivery: { attempts, attemptCount, destination },
}: {
  delivery: DeliveryDetail;
}) {
  if (attempts.length === 0)
    return (
      <p className={styles['dim']}>
        {attemptCount === 0 ? 'None yet.' : 'The broker confirmed it at the first attempt.'}
      </p>
    );
  const longest = Math.max(...attempts.map(({ durationMs }) => durationMs), 1);
  return (
    <>
      <ol className={styles['attempts']}>
        {attempts.toReversed().map((attempt) => (
          <AttemptEntry
            key={attempt.number}
            attempt={attempt}
            longest={longest}
            isNewest={attempt === attempts.at(-1)}
            isOfBroker={destination.kind === EXCHANGE}
          />
        ))}
      </ol>
      {attempts.length < attemptCount ? (
        <p className={styles['dim']}>
          {attemptCount - attempts.length} of {attemptCount} are not kept.
        </p>
      ) : null}
    </>
  );
}

interface AttemptEntryProps {
  readonly isOfBroker: boolean;
  readonly attempt: Attempt;
  readonly longest: number;
  readonly isNewest: boolean;
}

function AttemptEntry({ attempt, longest, isNewest, isOfBroker }: AttemptEntryProps) {
  const { number, at, durationMs, address, httpStatus, failure, code, advice, body } = attempt;
  return (
    <li className={styles['attempt']}>
      <div className={styles['attempt-head']}>
        <span className={styles['dim']}>#{number}</span>
        <Tag tone={failure === null ? 'ok' : 'bad'}>
          {failure === null
            ? `acknowledged${httpStatus === null ? '' : ` with ${httpStatus}`}`
            : attemptWords(failure, httpStatus)}
        </Tag>
        <span className={cx(styles['dim'], styles['end'])}>
          <Time at={at} />
        </span>
      </div>
      <div className={styles['timing']}>
        <meter min={0} max={longest} value={durationMs} aria-label={`Took ${took(durationMs)}`} />
        <span className={styles['dim']}>
          {took(durationMs)}
          {address === null ? (isOfBroker ? '' : ' · no connection') : ` · ${address}`}
          {code === null ? '' : ` · ${code}`}
        </span>
      </div>
      {body === null || body === '' ? null : <Code text={body} what={`answer to attempt ${number}`} />}
      {advice === null || !isNewest ? null : <p className={styles['dim']}>{advice}</p>}
    </li>
  );
}
