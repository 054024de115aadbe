import { shortFailure } from '../../domain/story/failure-words.ts';

const MOST_SAID = 100;

interface Failure {
  readonly failure: string;
  readonly httpStatus: number | null;
  /** The cause, such as `CERT_HAS_EXPIRED`; null if the class says everything. */
  readonly code?: string | null;
  /** The answer to the attempt; null: there was none. */
  readonly text?: string | null;
}

/** `refuses 500: out of stock`, `refuses connections`, `has no trusted TLS (CERT_HAS_EXPIRED)` */
export function failureWords({ failure, code = null, httpStatus, text = null }: Failure): string {
  const said = (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, MOST_SAID);
  return `${shortFailure(failure, httpStatus)}${code === null ? '' : ` (${code})`}${said === '' ? '' : `: ${said}`}`;
}
