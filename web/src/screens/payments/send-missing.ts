import { call } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { nameOf } from '../../api/queries.ts';
import { resend } from '../../api/resend.ts';
import type { Payment } from '../../api/types.ts';
import { counted } from '../../format/amount.ts';
import { shortened } from '../../format/chains.ts';
import { allResentWords } from '../../ui/resend-result.tsx';

/** How many payments one request covers. */
const ASKED = 100;

interface Missing {
  readonly deliveryId: string;
  readonly payment: string;
  readonly destination: string;
  readonly type: string;
}

/** The result of one event; `refused`: the API did not send it, as to a disabled endpoint. */
interface Outcome {
  readonly deliveryId: string;
  readonly payment: string;
  readonly result: 'acknowledged' | 'failed' | 'refused';
  readonly words: string;
}

export interface SentAgain {
  readonly summary: string;
  /** The events that no destination acknowledged. */
  readonly failures: readonly Outcome[];
}

/** Sends, for each payment and destination, the first event that was not acknowledged there. */
export async function sendMissing(
  payments: readonly Payment[],
  onSent: (sent: number, all: number) => void,
): Promise<SentAgain> {
  const missing = await missingOf(payments);
  // Sends one after another, so that a destination in trouble is not flooded.
  const outcomes: Outcome[] = [];
  for (const each of missing) {
    onSent(outcomes.length, missing.length);
    outcomes.push(await outcomeOf(each));
  }
  return {
    summary: summaryOf(outcomes),
    failures: outcomes.filter(({ result }) => result !== 'acknowledged'),
  };
}

async function missingOf(payments: readonly Payment[]): Promise<Missing[]> {
  const names = new Map(payments.map(({ quoteId, orderId }) => [quoteId, orderId ?? shortened(quoteId)]));
  const missing: Missing[] = [];
  const ids = [...names.keys()];
  for (let start = 0; start < ids.length; start += ASKED) {
    const query = { quoteId: ids.slice(start, start + ASKED) };
    const { data } = await call('get', '/api/payment-progress', { query });
    for (const { quoteId, deliveries, exchange } of data)
      for (const delivery of [...deliveries, ...(exchange === null ? [] : [exchange])])
        if (delivery.state === 'pending' || delivery.state === 'failed')
          missing.push({
            deliveryId: delivery.id,
            payment: names.get(quoteId) ?? quoteId,
            destination: nameOf(delivery),
            type: delivery.type,
          });
  }
  return missing;
}

/** A refused delivery, as to a disabled endpoint, does not stop the others. */
async function outcomeOf({ deliveryId, payment, destination, type }: Missing): Promise<Outcome> {
  try {
    const resent = await resend(deliveryId);
    const result = resent.attempt?.failure === null ? 'acknowledged' : 'failed';
    return { deliveryId, payment, result, words: allResentWords(destination, [resent]) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return {
      deliveryId,
      payment,
      result: 'refused',
      words: `${type} was not sent to ${destination}: ${error.message}`,
    };
  }
}

function summaryOf(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return 'All of their events were acknowledged everywhere.';
  const of = (wanted: Outcome['result']): number => outcomes.filter(({ result }) => result === wanted).length;
  const [acknowledged, failed, refused] = [of('acknowledged'), of('failed'), of('refused')];
  const sent = acknowledged + failed;
  const answers = failed === 0 ? ', and all acknowledged' : `: ${acknowledged} acknowledged, ${failed} not`;
  const said = sent === 0 ? [] : [`${counted(sent, 'event')} sent again${answers}.`];
  const others = refused === 0 ? [] : [`${counted(refused, 'event')} not sent.`];
  return [...said, ...others].join(' ');
}
