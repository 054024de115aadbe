import { EVENT_TYPES } from '../../domain/event/event.ts';
import { printableJson } from '../../domain/text/printable.ts';
import type { PaymentEvent } from '../api/payment-events.ts';
import { styled, textOf } from '../output/table.ts';

/** Colours for the events that a person looks for: a payment's end, and its troubles. */
const COLOURS: Readonly<Record<string, Parameters<typeof styled>[0]>> = {
  'payment.completed': 'green',
  'payment.failed': 'red',
  'payment.expired': 'yellow',
  'payment.stalled': 'magenta',
  'payment.anomaly': 'magenta',
};

const TYPE_WIDTH = Math.max(...EVENT_TYPES.map((type) => type.length));

export function readEvent(body: string): PaymentEvent {
  return JSON.parse(body) as PaymentEvent;
}

/** In JSON, raw line breaks and tabs occur only between values. */
export function oneLine(body: string): string {
  return printableJson(body.replaceAll(/[\n\r\t]/g, ' '));
}

/** `time  type  quote id  number  status  order`, for people. */
export function eventLine({ time, type, data }: PaymentEvent): string {
  const { quoteId, sequence, status, late, orderId } = data;
  const reason = 'reason' in data ? ` ${textOf(String(data.reason))}` : '';
  const words = [
    textOf(time),
    styled(COLOURS[type] ?? 'reset', textOf(type).padEnd(TYPE_WIDTH)),
    textOf(quoteId),
    `#${textOf(sequence)}`,
    `${textOf(status)}${late ? ' late' : ''}${reason}`,
    ...(orderId === null ? [] : [textOf(orderId)]),
  ];
  return `${words.join('  ')}\n`;
}
