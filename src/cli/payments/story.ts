import type { SaidEvent } from '../../domain/story/standing.ts';
import { tellPayment } from '../../domain/story/tell-payment.ts';
import type { SaidDelivery } from '../../domain/story/untold-events.ts';
import type { Schemas } from '../api/api-client.ts';
import type { PaymentEvent } from '../api/payment-events.ts';
import { styled, textOf } from '../output/table.ts';
import { timeWords } from '../output/time-words.ts';
import type { Receivers } from './told-table.ts';

type Payment = Schemas['PaymentAnswer'];

/** The payment in the sentences of the dashboard, and the next step for a person. `sent` is the amount digit for digit. */
export function storyOf(
  payment: Payment,
  events: readonly PaymentEvent[],
  receivers: Receivers | null,
  sent: string | null,
): string {
  const { send = {}, ...quote } = (payment.quote ?? {}) as { readonly send?: object };
  const { story, toDo } = tellPayment({
    payment: { ...payment, quote: { ...quote, send: { ...send, amount: sent } } },
    events: events as readonly SaidEvent[],
    deliveries: receivers === null ? [] : saidDeliveries(receivers),
    destinations: receivers === null ? null : namesIn(receivers),
    now: Date.now(),
    clock: (instant) => timeWords(instant),
  });
  const toDoLine = toDo === null ? '' : `\n${styled('bold', 'To do:')} ${textOf(toDo)}`;
  return `${textOf(story)}${toDoLine}\n\n`;
}

function saidDeliveries({ deliveries, destinations, attempts }: Receivers): SaidDelivery[] {
  const isAway = destinations.some(({ kind, state }) => kind !== 'webhook' && state === 'open');
  return deliveries.map((delivery) => {
    const { destination, state, waitingFor, id } = delivery;
    const waits = isAway && destination.kind !== 'webhook' && state === 'pending' && waitingFor === null;
    const lastAnswer = attempts.get(id)?.body ?? null;
    return { ...delivery, lastAnswer, waitingFor: waits ? 'broker' : waitingFor };
  });
}

function namesIn({ destinations }: Receivers): ReadonlyMap<string, string> {
  return new Map(destinations.map(({ id, name }) => [id, name]));
}
