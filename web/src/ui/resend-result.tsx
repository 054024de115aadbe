import type { Resent } from '../api/resend.ts';
import { attemptWords } from '../format/failures.ts';
import { took } from '../format/time.ts';
import { waitWords } from '../format/words.ts';
import { Note } from './notes.tsx';
import styles from './resend-result.module.css';

interface ResendResultProps {
  readonly name: string;
  readonly isPending: boolean;
  readonly resent: Resent | undefined;
  readonly error: Error | null;
}

/** The result of “Send again”. The live region exists before its first text, so that screen readers announce it. */
export function ResendResult({ name, isPending, resent, error }: ResendResultProps) {
  return (
    <div role="status" className={styles['result']}>
      {isPending ? <Note tone="wait">Sending to {name}, and waiting for its answer.</Note> : null}
      {!isPending && error !== null ? <Note tone="bad">It was not sent again: {error.message}</Note> : null}
      {!isPending && error === null && resent !== undefined ? (
        <Note tone={resent.attempt?.failure === null ? 'ok' : 'bad'}>{resentWords(name, resent)}</Note>
      ) : null}
    </div>
  );
}

/** `shop EU answered 500 to payment.created in 3 ms: “out of stock”.` */
export function resentWords(name: string, { delivery, attempt }: Resent): string {
  const { type, waitingFor } = delivery;
  if (attempt === null)
    return `${name} has not answered to ${type} yet${waitingFor === null ? '' : `: ${waitWords(waitingFor)}`}.`;
  const { failure, httpStatus, durationMs, body } = attempt;
  const time = took(durationMs);
  if (failure === null) {
    const answer = httpStatus === null ? '' : ` with ${httpStatus}`;
    return `${name} acknowledged ${type}${answer} in ${time}.`;
  }
  const text = body === null || body.trim() === '' ? '' : `: “${body.trim().slice(0, 120)}”`;
  return httpStatus === null
    ? `${name} did not get ${type}: ${attemptWords(failure, null)}, after ${time}.`
    : `${name} answered ${httpStatus} to ${type} in ${time}${text}.`;
}
