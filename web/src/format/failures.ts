/** How an attempt failed, in words, and what a person can do about it. */
export interface FailureWords {
  readonly text: string;
  readonly advice: string;
}

const FAILURES: Readonly<Record<string, FailureWords>> = {
  status: {
    text: 'The endpoint answered with an error',
    advice: 'Look into the log of the shop at the time of the attempt; its answer is kept with the delivery.',
  },
  timeout: {
    text: 'No answer in time',
    advice: 'Acknowledge first and do the slow work afterwards, or look whether the shop is overloaded.',
  },
  refused: {
    text: 'The connection was refused',
    advice: 'See whether the shop runs, and whether its firewall lets this machine in.',
  },
  reset: {
    text: 'The connection broke off',
    advice: 'A proxy or a load balancer before the shop may close connections too early.',
  },
  dns: {
    text: "The host's name is not known",
    advice: 'Check the URL for a slip, and the name in the DNS.',
  },
  tls: {
    text: 'No trusted TLS connection',
    advice: "Renew the shop's certificate, or send its whole chain.",
  },
  redirect: {
    text: 'The endpoint answered with a redirect',
    advice: 'Redirects are not followed: change the URL to where it leads.',
  },
  gone: {
    text: 'The endpoint answered 410',
    advice: 'It asked for no more events and was disabled. Enable it once it takes events again.',
  },
  blocked_address: {
    text: 'The address is not allowed',
    advice: 'The name leads to a private address. Allow its range in WEBHOOK_ALLOWED_CIDRS if that is right.',
  },
  nack: {
    text: 'Refused by the broker (nack)',
    advice: 'A bound queue is full: have it consumed, or raise its limit. The event is published again.',
  },
  unroutable: {
    text: 'No queue is bound for this type',
    advice: 'Bind a queue to the exchange for it, or leave it: later events do not wait.',
  },
  away: {
    text: 'The broker can not be reached',
    advice: 'Start the broker, or correct RABBITMQ_URL. What waits is published by itself.',
  },
  refuses: {
    text: 'The broker takes nothing',
    advice: 'Have the full queue consumed, raise its limit, or end the alarm of the broker.',
  },
  too_large: {
    text: "The answer's headers were too large",
    advice: 'Answer with fewer headers: more than 16 KiB or 200 lines are not read.',
  },
};

export function failureWords(failure: string): FailureWords {
  return FAILURES[failure] ?? { text: failure, advice: 'Look into the delivery and the log.' };
}

/** `answered 503`, or what came instead of an answer. */
export function attemptWords(failure: string | null, httpStatus: number | null): string {
  if (httpStatus !== null) return `answered ${httpStatus}`;
  return failure === null ? 'no answer' : lowerFirst(failureWords(failure).text);
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
