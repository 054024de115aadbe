import type { SaidEvent } from '../../domain/story/story.ts';
import { tellPayment } from '../../domain/story/tell-payment.ts';
import type { SaidDelivery } from '../../domain/story/untold-events.ts';
import type { Schemas } from '../api/api-client.ts';
import type { PaymentEvent } from '../api/payment-events.ts';
import { styled, textOf } from '../output/table.ts';
import { timeWords } from '../output/time-words.ts';
import type { Receivers } from './told-table.ts';

type Payment = Schemas['PaymentAnswer'];

/** The readings beside a payment that its story needs. */
interface Beside {
  readonly events: readonly PaymentEvent[];
  readonly receivers: Receivers | null;
  readonly alsoPaidBy: readonly string[];
  /** The amount digit for digit. */
  readonly sent: string | null;
}

/** The payment in the sentences of the dashboard, and the next step for a person. */
export function storyOf(payment: Payment, { events, receivers, alsoPaidBy, sent }: Beside): string {
  const { send = {}, ...quote } = (payment.quote ?? {}) as { readonly send?: object };
  const { story, toDo } = tellPayment({
    payment: { ...payment, quote: { ...quote, send: { ...send, amount: sent } } },
    events: events as readonly SaidEvent[],
    alsoPaidBy,
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
