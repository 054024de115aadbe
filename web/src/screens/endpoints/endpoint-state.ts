import type { Endpoint } from '../../api/types.ts';
import { duration, until } from '../../format/time.ts';
import type { Word } from '../../format/words.ts';

/** How an endpoint fares, in a word. */
export function endpointWord({ enabled, problem, circuit, failingSince, lastDeliveredAt }: Endpoint): Word {
  if (!enabled) return { text: 'Disabled', tone: 'wait' };
  if (problem !== null) return { text: 'Secret unreadable', tone: 'bad' };
  if (circuit === 'open') return { text: 'Down, probed', tone: 'bad' };
  if (failingSince !== null) return { text: 'Failing', tone: 'bad' };
  if (circuit === 'recovering') return { text: 'Recovering', tone: 'warn' };
  return lastDeliveredAt === null ? { text: 'No delivery yet', tone: 'wait' } : { text: 'Works', tone: 'ok' };
}

/** The same in a sentence, with what happens next. */
export function sayEndpoint(endpoint: Endpoint, now: number): string {
  const { enabled, disabledReason, problem, circuit, failingSince, nextProbeAt, pending } = endpoint;
  const waiting = pending === 0 ? '' : ` ${pending === 1 ? 'One event waits' : `${pending} events wait`}.`;
  if (!enabled)
    return `Disabled${disabledReason === null ? '' : `: ${disabledReason}`}. Nothing is sent to it.${waiting}`;
  if (problem !== null)
    return `Its secret can't be decrypted, so nothing is sent to it: rotate the secret, or bring back the former ENCRYPTION_KEY.${waiting}`;
  const failing =
    failingSince === null ? '' : `Every attempt has failed for ${duration(now - Date.parse(failingSince))}.`;
  if (circuit === 'open')
    return `${failing} Only probes go out${nextProbeAt === null ? '' : `, the next ${until(nextProbeAt, now)}`}.${waiting}`;
  if (failing !== '') return `${failing}${waiting}`;
  if (circuit === 'recovering') return `It answers again; what waited is let out gradually.${waiting}`;
  if (endpoint.lastDeliveredAt === null) return `Nothing has been delivered to it yet.${waiting}`;
  return `It takes what is sent.${waiting}`;
}
