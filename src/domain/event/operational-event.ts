import { SEVERITIES } from './severity.ts';
import type { Fields, ObjectOf } from '../text/json-schema.ts';
import { EVENT_TYPES, type EventType } from './event.ts';
import { ENVELOPE, type Stamp } from './stamp-event.ts';

const TOKEN_SUM = {
  chainId: { type: ['integer', 'null'], description: 'The chain id.' },
  chain: { type: ['string', 'null'], description: "The chain's name." },
  symbol: { type: ['string', 'null'], description: "The token's symbol." },
  amount: { type: 'string', description: 'The exact sum in human-readable units.' },
  payments: { type: 'integer', minimum: 1, description: 'The number of the payments.' },
} as const satisfies Fields;

/** The fields in `data` of an operational event. */
export const ATTENTION_DATA = {
  code: { type: 'string', description: 'The code of the item in `GET /api/attention`.' },
  severity: {
    enum: SEVERITIES,
    description: '`bad`: payments or events are stuck; `warn`: everything works, but a person should know.',
  },
  count: {
    type: 'integer',
    minimum: 0,
    description: 'The number of payments or other things, counted up to 10,000; 0 once the trouble is over.',
  },
  isMore: { type: 'boolean', description: 'True: `count` is a lower bound.' },
  since: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the oldest trouble began, or when the opening was reported; null: unknown.',
  },
  detail: { type: 'string', description: 'One sentence for a person.' },
  sums: {
    type: 'array',
    items: { type: 'object', properties: TOKEN_SUM },
    description:
      'The sums that payers sent in these payments, for each token; empty where no payments are counted.',
  },
  link: {
    type: 'string',
    description: 'The page of Attention: a URL below `PUBLIC_URL`, or without it a path.',
  },
} as const satisfies Fields;

/** Events for operators. They are not about a payment, are in no log, and reach only endpoints that ask for them. */
export const OPERATIONAL_EVENTS = {
  'attention.opened': { summary: 'Something needs a person.', data: ATTENTION_DATA },
  'attention.closed': { summary: 'The matter no longer needs a person.', data: ATTENTION_DATA },
} as const;

export type OperationalType = keyof typeof OPERATIONAL_EVENTS;
export const OPERATIONAL_TYPES = Object.keys(OPERATIONAL_EVENTS) as readonly OperationalType[];

/** The event types that a webhook endpoint can ask for. */
export type SubscribedType = EventType | OperationalType;
export const SUBSCRIBED_TYPES: readonly SubscribedType[] = [...EVENT_TYPES, ...OPERATIONAL_TYPES];

/** The amount that payers sent in one token. */
export type AttentionSum = ObjectOf<typeof TOKEN_SUM>;
export type AttentionData = ObjectOf<typeof ATTENTION_DATA>;

export function isOperational(type: string): type is OperationalType {
  return type in OPERATIONAL_EVENTS;
}

/** The bytes of an operational event: CloudEvents JSON without a subject and a sequence. */
export function operationalEvent(
  type: OperationalType,
  data: AttentionData,
  { id, source, time }: Stamp,
): string {
  const payload: ObjectOf<typeof ENVELOPE> & { readonly data: object } = {
    specversion: '1.0',
    id,
    source,
    type,
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  return JSON.stringify(payload);
}

/** An example of an operational event, for a test of an endpoint. */
export function exampleOperationalEvent(type: OperationalType, stamp: Stamp): string {
  const isOpen = type === 'attention.opened';
  const sum = { chainId: 8453, chain: 'Base', symbol: 'USDC', amount: '430.20', payments: 2 };
  const data: AttentionData = {
    code: 'undelivered',
    severity: 'bad',
    count: isOpen ? 2 : 0,
    isMore: false,
    since: new Date(stamp.time.getTime() - 60_000).toISOString(),
    detail: isOpen
      ? 'An example: 2 payments have news that a destination was not told.'
      : 'An example: this needs a person no longer.',
    sums: isOpen ? [sum] : [],
    link: '/dashboard',
  };
  return operationalEvent(type, data, stamp);
}
