import type { Resent } from '../api/resend.ts';
import { attemptWords } from '../../../src/domain/story/failure-words.ts';
import { took } from '../format/time.ts';
import { waitWords } from '../format/words.ts';
import { Note } from './notes.tsx';
import styles from './resend-result.module.css';

interface ResendResultProps {
  readonly name: string;
  readonly isPending: boolean;
  /** One result for each event that was sent. */
  readonly resent: readonly Resent[] | undefined;
  readonly error: Error | null;
}

/** The result of “Send again”. The live region exists before its first text, so that screen readers announce it. */
export function ResendResult({ name, isPending, resent, error }: ResendResultProps) {
  return (
    <div role="status" className={styles['result']}>
      {isPending ? <Note tone="wait">Sending to {name}, and waiting for its answer.</Note> : null}
      {!isPending && error !== null ? <Note tone="bad">It was not sent again: {error.message}</Note> : null}
      {!isPending && error === null && resent !== undefined ? (
        <Note tone={resent.every(isTaken) ? 'ok' : 'bad'}>{allResentWords(name, resent)}</Note>
      ) : null}
    </div>
  );
}

function isTaken({ attempt }: Resent): boolean {
  return attempt?.failure === null;
}

/** `shop EU acknowledged 3 of 4 events. shop EU answered 500 to payment.completed in 3 ms.` */
export function allResentWords(name: string, resent: readonly Resent[]): string {
  const [first, ...others] = resent;
  const refused = resent.find((one) => !isTaken(one));
  if (first === undefined) return '';
  if (others.length === 0) return resentWords(name, first);
  if (refused === undefined) return `${name} acknowledged all ${resent.length} events.`;
  const taken = resent.filter(isTaken).length;
  return `${name} acknowledged ${taken} of ${resent.length} events. ${resentWords(name, refused)}`;
}

/** `shop EU answered 500 to payment.created in 3 ms: “out of stock”.` */
function resentWords(name: string, { delivery, attempt }: Resent): string {
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
