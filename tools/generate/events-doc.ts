import { PAYMENT_EVENTS } from '../../src/domain/event/event.ts';
import { ATTENTION_DATA } from '../../src/domain/event/operational-event.ts';
import { PAYMENT_ENVELOPE } from '../../src/domain/event/stamp-event.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import type { Fields, JsonSchema } from '../../src/domain/text/json-schema.ts';
import { type Row, type Tables, withTables } from './tables.ts';

const EVENTS: readonly (readonly [string, { readonly summary: string; readonly data: Fields }])[] =
  Object.entries(PAYMENT_EVENTS);

const TABLES: Tables = {
  envelope: () => [
    ['field', 'holds', 'meaning'],
    ...rowsOf(PAYMENT_ENVELOPE),
    ['`data`', 'object', 'As below.'],
  ],
  // Its `payment` may be null, like the `payment` of all types together.
  data: () => [['field in `data`', 'holds', 'meaning'], ...rowsOf(PAYMENT_EVENTS['payment.updated'].data)],
  operational: () => [['field in `data`', 'holds', 'meaning'], ...rowsOf(ATTENTION_DATA)],
  types: () => {
    const names = differingNames();
    return [
      ['type', ...names.map((name) => `\`${name}\``), 'meaning'],
      ...EVENTS.map(([type, { data, summary }]) => [
        `\`${type}\``,
        ...names.map((name) => cellOf(data[name])),
        summary,
      ]),
    ];
  },
};

/** The text of docs/using/events.md with the tables that the table of events makes. */
export function eventsDoc(text: string): Promise<string> {
  return withTables(text, TABLES);
}

function rowsOf(fields: Fields): Row[] {
  return Object.entries(fields).map(([name, schema]) => [
    `\`${name}\``,
    cellOf(schema),
    String(schema['description']),
  ]);
}

/** The fields of `data` that do not hold the same in all types. */
function differingNames(): string[] {
  const names = new Set(EVENTS.flatMap(([, { data }]) => Object.keys(data)));
  return [...names].filter((name) => new Set(EVENTS.map(([, { data }]) => shown(data[name]))).size > 1);
}

function cellOf(schema: JsonSchema | undefined): string {
  return schema?.['optional'] === true ? `${shown(schema)} (?)` : shown(schema);
}

function shown(schema: JsonSchema | undefined): string {
  if (schema === undefined) return '';
  const { const: only, enum: choice, type, format: named } = schema;
  if (typeof only === 'string' || typeof only === 'boolean') return `\`${String(only)}\``;
  if (choice === STATUSES) return 'a status';
  if (Array.isArray(choice)) return choice.map((one) => `\`${String(one)}\``).join(', ');
  return typeof named === 'string' ? named : [type].flat().join(' or ');
}
