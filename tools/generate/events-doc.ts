import { PAYMENT_EVENTS } from '../../src/domain/event/event.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import type { Fields, JsonSchema } from '../../src/domain/text/json-schema.ts';
import { type Tables, withTables } from './tables.ts';

const EVENTS: readonly (readonly [string, { readonly data: Fields }])[] = Object.entries(PAYMENT_EVENTS);

const TABLES: Tables = {
  data: () => [
    ['field in `data`', 'holds', 'meaning'],
    ...dataNames().flatMap((name) =>
      meaningsOf(name).map((meaning) => [`\`${name}\``, holdsWith(name, meaning), meaning]),
    ),
  ],
};

/** The text of docs/using/events.md with the table of fields, which the table of events makes. */
export function eventsDoc(text: string): Promise<string> {
  return withTables(text, TABLES);
}

function dataNames(): string[] {
  return [...new Set(EVENTS.flatMap(([, { data }]) => Object.keys(data)))];
}

/** The description of a field; several if `payment.updated`, which has most fields, lacks the field. */
function meaningsOf(name: string): string[] {
  const widest: Fields = PAYMENT_EVENTS['payment.updated'].data;
  const schemas = widest[name] === undefined ? EVENTS.map(([, { data }]) => data[name]) : [widest[name]];
  return [...new Set(schemas.flatMap((schema) => (schema ? [String(schema['description'])] : [])))];
}

/** The values of a field: first in most types, then in the others with their types. */
function holdsWith(name: string, meaning: string): string {
  const hasSeveral = meaningsOf(name).length > 1;
  const types = new Map<string, string[]>();
  for (const [type, { data }] of EVENTS) {
    if (hasSeveral && data[name]?.['description'] !== meaning) continue;
    const cell = cellOf(data[name]);
    types.set(cell, [...(types.get(cell) ?? []), `\`${type.replace('payment.', '')}\``]);
  }
  const groups = [...types].toSorted(([, one], [, other]) => other.length - one.length);
  const [most, ...rest] = groups;
  if (most === undefined || most[0] === '' || hasSeveral)
    return groups
      .filter(([cell]) => cell !== '')
      .map(inTypes)
      .join('; ');
  return [most[0], ...rest.map(inTypes)].join('; ');
}

function inTypes([cell, names]: [string, string[]]): string {
  return `${cell || 'none'} in ${names.join(', ')}`;
}

function cellOf(schema: JsonSchema | undefined): string {
  return schema?.['optional'] === true ? `${shown(schema)} (?)` : shown(schema);
}

function shown(schema: JsonSchema | undefined): string {
  if (schema === undefined) return '';
  const { const: only, enum: choice, type, format: named } = schema;
  if (STATUSES.some((status) => status === only)) return 'a status';
  if (typeof only === 'string' || typeof only === 'boolean') return `\`${String(only)}\``;
  if (choice === STATUSES) return 'a status';
  if (Array.isArray(choice)) return choice.map((one) => `\`${String(one)}\``).join(', ');
  return typeof named === 'string' ? named : [type].flat().join(' or ');
}
