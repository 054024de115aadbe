import { format } from 'prettier';

import { PAYMENT_EVENTS } from '../../src/domain/event/event.ts';
import { PAYMENT_ENVELOPE } from '../../src/domain/event/stamp-event.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import type { Fields, JsonSchema } from '../../src/domain/text/json-schema.ts';

type Row = readonly string[];

const STYLE = { parser: 'markdown', singleQuote: true, printWidth: 110, trailingComma: 'all' } as const;
/** A comment with the name of a table, and the table. */
const TABLE = /(?<=<!-- npm run generate: (\w+) -->\n\n)(?:\|.*\n)+/g;

const EVENTS: readonly (readonly [string, { readonly summary: string; readonly data: Fields }])[] =
  Object.entries(PAYMENT_EVENTS);

const TABLES: Readonly<Record<string, () => readonly Row[]>> = {
  envelope: () => [
    ['field', 'holds', 'meaning'],
    ...rowsOf(PAYMENT_ENVELOPE),
    ['`data`', 'object', 'As below.'],
  ],
  // Its `payment` may be null, as `payment` of all types together.
  data: () => [['field in `data`', 'holds', 'meaning'], ...rowsOf(PAYMENT_EVENTS['payment.updated'].data)],
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

/** The text of docs/events.md with the tables that the table of events makes. */
export function eventsDoc(text: string): Promise<string> {
  const made = text.replaceAll(TABLE, (_table, name: string) => tableOf(TABLES[name]?.() ?? []));
  return format(made, STYLE);
}

function tableOf([head = [], ...rows]: readonly Row[]): string {
  return [head, head.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
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
  return schema?.['optional'] === true ? `${shown(schema)}, or missing` : shown(schema);
}

function shown(schema: JsonSchema | undefined): string {
  if (schema === undefined) return '';
  const { const: only, enum: choice, type, format: named } = schema;
  if (typeof only === 'string') return `\`${only}\``;
  if (choice === STATUSES) return 'a status';
  if (Array.isArray(choice)) return choice.map((one) => `\`${String(one)}\``).join(', ');
  return typeof named === 'string' ? named : [type].flat().join(' or ');
}
