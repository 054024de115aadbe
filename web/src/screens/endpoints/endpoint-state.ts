import { EXCHANGE, type Destination, type Endpoint } from '../../api/types.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { counted } from '../../format/amount.ts';
import { duration, until } from '../../format/time.ts';
import type { Word } from '../../format/words.ts';

type Faring = Pick<Destination, 'state' | 'problem' | 'refused' | 'lastDeliveredAt'> & {
  readonly kind?: string;
};

/** The state of a destination, in a word. */
export function endpointWord({ kind, state, problem, refused, lastDeliveredAt }: Faring): Word {
  if (state === 'disabled') return { text: 'Disabled', tone: 'wait' };
  if (problem !== null) return { text: 'Secret unreadable', tone: 'bad' };
  if (state === 'open') return { text: kind === EXCHANGE ? 'Away' : 'Down, probed', tone: 'bad' };
  if (state === 'refusing') return { text: `Refuses ${payments(refused.payments)}`, tone: 'bad' };
  if (state === 'failing') return { text: 'Failing', tone: 'bad' };
  if (state === 'recovering') return { text: 'Recovering', tone: 'warn' };
  return lastDeliveredAt === null ? { text: 'No delivery yet', tone: 'wait' } : { text: 'Works', tone: 'ok' };
}

/** `5 events were not sent while it was disabled` */
export function unsentWords({ count, isMore }: Endpoint['unsent']): string {
  const events = `${isMore ? 'At least ' : ''}${counted(count, 'event')}`;
  return `${events} ${count === 1 ? 'was' : 'were'} not sent while it was disabled`;
}

/** The state as a sentence, with the next step. */
export function sayEndpoint(endpoint: Endpoint, now: number): string {
  const { state, disabledReason, problem, refused, failingSince, nextProbeAt, pending, unsent } = endpoint;
  const waits = pending === 0 ? '' : ` ${pending === 1 ? 'One event waits' : `${pending} events wait`}.`;
  const waiting = `${waits}${unsent.count === 0 ? '' : ` ${unsentWords(unsent)}.`}`;
  if (state === 'disabled')
    return `Disabled${disabledReason === null ? '' : `: ${disabledReason}`}. Nothing is sent to it.${waiting}`;
  if (problem !== null)
    return `Its secret cannot be decrypted, so nothing is sent to it: rotate the secret, or bring back the former ENCRYPTION_KEY.${waiting}`;
  const isFailing = state === 'open' || state === 'failing';
  const failing =
    failingSince === null || !isFailing
      ? ''
      : `Every attempt has failed for ${duration(now - Date.parse(failingSince))}.`;
  if (state === 'open')
    return `${failing} Only probes go out${nextProbeAt === null ? '' : `, the next ${until(nextProbeAt, now)}`}.${waiting}`;
  if (state === 'refusing')
    return `It takes other payments and refuses ${payments(refused.payments)}: ${namesOf(refused)}.${waiting}`;
  if (failing !== '') return `${failing}${waiting}`;
  if (state === 'recovering') return `It answers again; what waited is let out gradually.${waiting}`;
  if (endpoint.lastDeliveredAt === null) return `Nothing has been delivered to it yet.${waiting}`;
  return `It takes what is sent.${waiting}`;
}

/** RabbitMQ's exchange in a sentence. */
export function sayExchange(exchange: Destination, now: number): string {
  const { state, since, refused, waiting, lastDeliveredAt } = exchange;
  const events = waiting === 0 ? '' : ` ${waiting === 1 ? 'One event waits' : `${waiting} events wait`}.`;
  const time = since === null ? '' : ` for ${duration(now - Date.parse(since))}`;
  if (state === 'open') return `The broker cannot be reached${time}${causeOf(exchange)}.${events}`;
  if (state === 'refusing')
    return `It takes other payments and refuses ${payments(refused.payments)}${causeOf(exchange)}: ${namesOf(refused)}.${events}`;
  if (state === 'failing') return `The broker has taken nothing${time}${causeOf(exchange)}.${events}`;
  if (lastDeliveredAt === null) return `Nothing has been published yet.${events}`;
  return `The broker confirms what is published.${events}`;
}

function causeOf({ lastFailure }: Destination): string {
  if (lastFailure === null) return '';
  return `: ${lastFailure.text ?? attemptWords(lastFailure.failure, lastFailure.httpStatus)}`;
}

function payments(count: number): string {
  return count === 1 ? 'one payment' : `${count} payments`;
}

function namesOf({ payments: count, examples }: Endpoint['refused']): string {
  const names = examples.map(({ orderId, quoteId }) => orderId ?? quoteId);
  return count > names.length ? `${names.join(', ')} and ${count - names.length} more` : names.join(', ');
}
