import type { ProviderState } from '../../api/overview-types.ts';
import { took, until } from '../../format/time.ts';

/** The provider's state, and its effect on payments, in one or two sentences. */
export function sayProvider(state: ProviderState, now: number): string {
  const { keyRefused, circuit, budget, classes, lastHour, name } = state;
  if (keyRefused)
    return 'The provider refuses our key, so no payment can be asked about. Put the right key into the settings and restart.';
  if (circuit.state === 'open')
    return `The provider does not answer. Only probes go out${circuit.nextProbeAt === null ? '' : `, the next ${until(circuit.nextProbeAt, now)}`}; nothing is lost, changes are seen once it is back.`;
  const gap = lastHour.detectionGap.p50;
  const seen = gap === null ? '' : ` Half of the changes of the last hour were seen within ${took(gap)}.`;
  const scale = Math.max(1, ...classes.map((one) => one.scale));
  if (budget.slowedBy !== null)
    return `The provider asked to slow down: intervals are up to ${scale} times as long.${seen}`;
  if (scale > 1)
    return `There are more payments than requests a minute: intervals are up to ${scale} times as long. Those past their deposit come first.${seen}`;
  return `${name === 'sandbox' ? 'The sandbox' : 'The provider'} answers, and each payment is polled at its usual interval.${seen}`;
}
