const MOST_SAID = 100;

/** The behaviour of a destination, in words that follow its name, as in the dashboard's list. */
const SHORT: Readonly<Record<string, string>> = {
  timeout: 'does not answer',
  refused: 'refuses connections',
  reset: 'breaks off',
  dns: 'has no address',
  tls: 'has no trusted TLS',
  redirect: 'redirects',
  gone: 'answers 410',
  blocked_address: 'has a blocked address',
  nack: 'refuses (nack)',
  broker_refused: 'refuses',
  unroutable: 'has no queue',
  away: 'is away',
  refuses: 'refuses',
};

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

export function shortFailure(failure: string, httpStatus: number | null): string {
  return httpStatus === null ? (SHORT[failure] ?? `fails (${failure})`) : `refuses ${httpStatus}`;
}
