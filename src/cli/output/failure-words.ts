const MOST_SAID = 100;

interface Failure {
  readonly failure: string;
  /** The cause, such as `CERT_HAS_EXPIRED`; null where the class says all. */
  readonly code: string | null;
  readonly httpStatus: number | null;
  /** The answer to the attempt; null: there was none. */
  readonly text: string | null;
}

/** `500: out of stock`, or the class of failure and its code, with the beginning of the answer. */
export function failureWords({ failure, code, httpStatus, text }: Failure): string {
  const said = (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, MOST_SAID);
  const how = code === null ? failure : `${failure} ${code}`;
  return `${httpStatus ?? how}${said === '' ? '' : `: ${said}`}`;
}
