import {
  EVENT_SCHEMAS,
  PAYMENT_EVENT_SCHEMAS,
  type EventSchema,
} from '../../src/domain/event/event-schemas.ts';
import { ATTENTION_DATA, isOperational } from '../../src/domain/event/operational-event.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import { type Fields, type JsonSchema } from '../../src/domain/text/json-schema.ts';
import { typeScript } from './formatted.ts';
import { fieldsOfSchema } from './fields-of-schema.ts';

const HEAD = `// Made by \`npm run generate\` from the JSON Schemas of the events: change those.
import type { ProviderReport } from './provider-report.ts';`;

/** The TypeScript of the event types of `paybell-client`, made from the JSON Schemas of the events. */
export function clientTypes(): Promise<string> {
  const envelope = sharedBy(EVENT_SCHEMAS.map(fieldsOf));
  const paymentEnvelope = sharedBy(PAYMENT_EVENT_SCHEMAS.map(fieldsOf));
  const paymentData = sharedBy(PAYMENT_EVENT_SCHEMAS.map(dataOf));
  const others = EVENT_SCHEMAS.filter((event) => !PAYMENT_EVENT_SCHEMAS.includes(event));
  const parts = [
    HEAD,
    `/** Where a payment stands. */\ntype Status = ${wordsOf(STATUSES)};`,
    `/** The attributes of every event: CloudEvents 1.0. */\ninterface Envelope ${bodyOf(envelope)}`,
    `/** The attributes of every event about a payment. */
    interface PaymentEnvelope extends Envelope ${bodyOf(without(paymentEnvelope, envelope))}`,
    `/** The data of every event about a payment. */\ninterface PaymentData ${bodyOf(paymentData)}`,
    ...PAYMENT_EVENT_SCHEMAS.map((event) => paymentEvent(event, paymentEnvelope, paymentData)),
    `/** The data of an operational event. */\ninterface AttentionData ${bodyOf(ATTENTION_DATA)}`,
    ...others.map((event) => otherEvent(event, envelope)),
    `/** An event about a payment; \`type\` says which. */
    export type PaymentEvent = ${PAYMENT_EVENT_SCHEMAS.map(nameOf).join(' | ')};`,
    `/** An event of Paybell; a newer Paybell may send types that are not known here. */
    export type PaybellEvent = ${['PaymentEvent', ...others.map(nameOf)].join(' | ')};`,
  ];
  return typeScript(parts.join('\n\n'));
}

function paymentEvent(event: EventSchema, envelope: Fields, data: Fields): string {
  const own = without(dataOf(event), data);
  return `/** ${event.summary} */\ninterface ${nameOf(event)} extends PaymentEnvelope {
    ${linesOf(without(fieldsOf(event), { ...envelope, data: {} }))}
    readonly data: PaymentData & ${bodyOf(own)};
  }`;
}

function otherEvent(event: EventSchema, envelope: Fields): string {
  const own = without(fieldsOf(event), envelope);
  const head = `/** ${event.summary} */\ninterface ${nameOf(event)} extends Envelope`;
  if (!isOperational(event.type)) return `${head} ${bodyOf(own)}`;
  return `${head} { ${linesOf(without(own, { data: {} }))} readonly data: AttentionData; }`;
}

/** `payment.deposit_received`: PaymentDepositReceived. */
function nameOf({ type }: EventSchema): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

function fieldsOf({ schema }: EventSchema): Fields {
  return fieldsOfSchema(schema);
}

function dataOf(event: EventSchema): Fields {
  return fieldsOfSchema(fieldsOf(event)['data'] ?? {});
}

/** The fields that are the same in all schemas. */
function sharedBy([first = {}, ...others]: readonly Fields[]): Fields {
  const isShared = ([name, schema]: [string, JsonSchema]): boolean =>
    others.every((fields) => JSON.stringify(fields[name]) === JSON.stringify(schema));
  return Object.fromEntries(Object.entries(first).filter(isShared));
}

function without(fields: Fields, others: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in others)));
}

function bodyOf(fields: Fields): string {
  return `{ ${linesOf(fields)} }`;
}

function linesOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, schema]) => {
      const { description } = schema as { description?: string };
      return `${description === undefined ? '' : `/** ${description} */`}\nreadonly ${name}${schema['optional'] === true ? '?' : ''}: ${typeOf(schema)};`;
    })
    .join('\n');
}

function typeOf(schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (schema['enum'] === STATUSES) return 'Status';
  if ('enum' in schema) return wordsOf(schema['enum'] as unknown[]);
  return [schema['type']]
    .flat()
    .map((word) => wordFor(String(word), schema))
    .join(' | ');
}

function wordsOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

/** An object without fields of its own is the provider's report. */
function wordFor(type: string, { properties, additionalProperties, items }: JsonSchema): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly ${typeOf(items as JsonSchema)}[]`;
  if (type !== 'object') return type;
  if (properties !== undefined) return bodyOf(properties as Fields);
  if (additionalProperties === undefined) return 'ProviderReport';
  return `Readonly<Record<string, ${typeOf(additionalProperties as JsonSchema)}>>`;
}
