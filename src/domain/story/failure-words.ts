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
