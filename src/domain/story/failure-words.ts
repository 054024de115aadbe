/** The failures of an attempt in words; advice comes with the attempt. */
const FAILURES: Readonly<Record<string, string>> = {
  status: 'The endpoint answered with an error',
  timeout: 'No answer in time',
  refused: 'The connection was refused',
  reset: 'The connection broke off',
  dns: "The host's name is not known",
  tls: 'No trusted TLS connection',
  redirect: 'The endpoint answered with a redirect',
  gone: 'The endpoint answered 410',
  blocked_address: 'The address is not allowed',
  nack: 'Refused by the broker (nack)',
  broker_refused: 'Refused by the broker',
  unroutable: 'No queue is bound for this type',
  away: 'The broker cannot be reached',
  refuses: 'The broker refuses',
  too_large: "The answer's headers were too large",
};

export function failureWords(failure: string): string {
  return FAILURES[failure] ?? failure;
}

/** `answered 503`, or the failure if there was no answer. */
export function attemptWords(failure: string | null, httpStatus: number | null): string {
  if (httpStatus !== null) return `answered ${httpStatus}`;
  return failure === null ? 'no answer' : lowerFirst(failureWords(failure));
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** The behaviour of a destination, in words that follow its name. */
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

/** `refuses 503`, `does not answer` */
export function shortFailure(failure: string, httpStatus: number | null): string {
  return httpStatus === null ? (SHORT[failure] ?? `fails (${failure})`) : `refuses ${httpStatus}`;
}
