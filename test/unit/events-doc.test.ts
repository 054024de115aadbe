import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { JsonSchema } from '../../src/domain/text/json-fields.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import { EVENT_SCHEMAS, PAYMENT_EVENT_SCHEMAS } from '../../src/domain/event/event-schemas.ts';

type Fields = Readonly<Record<string, JsonSchema>>;

const fieldsOf = (schema: JsonSchema | undefined): Fields => schema?.['properties'] as Fields;
const dataOf = (type: string): Fields =>
  fieldsOf(fieldsOf(EVENT_SCHEMAS.find((event) => event.type === type)?.schema)['data']);

/** What the tables say of a schema. */
function shown(schema: JsonSchema | undefined): string {
  if (schema === undefined) return '';
  const { const: only, enum: choice, type, format } = schema;
  if (typeof only === 'string') return `\`${only}\``;
  if (choice === STATUSES) return 'a status';
  if (Array.isArray(choice)) return choice.map((one) => `\`${String(one)}\``).join(', ');
  return typeof format === 'string' ? format : [type].flat().join(' or ');
}

describe('docs/events.md', () => {
  let lines: string[] = [];

  beforeAll(async () => {
    const path = fileURLToPath(new URL('../../docs/events.md', import.meta.url));
    lines = (await readFile(path, 'utf8')).split('\n');
  });

  /** The cells of the table with this first heading. */
  function tableOf(heading: string): string[][] {
    const head = lines.findIndex((line) => line.startsWith(`| ${heading} `));
    const body = lines.slice(head + 2);
    return body
      .slice(
        0,
        body.findIndex((line) => !line.startsWith('|')),
      )
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  }

  const described = (fields: Fields, names: readonly string[]): string[][] =>
    names.map((name) => [`\`${name}\``, shown(fields[name]), String(fields[name]?.['description'])]);

  it('describes every field of the envelope as the schemas do', () => {
    for (const { type, schema } of PAYMENT_EVENT_SCHEMAS) {
      const fields = fieldsOf(schema);
      expect(tableOf('field').map(([name]) => name)).toEqual(
        expect.arrayContaining(Object.keys(fields).map((name) => `\`${name}\``)),
      );
      const named = Object.keys(fields).filter((name) => name !== 'type' && name !== 'data');
      expect([type, tableOf('field')]).toEqual([type, expect.arrayContaining(described(fields, named))]);
    }
    expect(tableOf('field')).toHaveLength(8);
  });

  it('describes every field of data as the schemas do', () => {
    const fields = dataOf('payment.updated');
    expect(tableOf('field in `data`')).toEqual(described(fields, Object.keys(fields)));
    for (const { type } of PAYMENT_EVENT_SCHEMAS)
      expect(Object.keys(dataOf(type)).filter((name) => name !== 'reason')).toEqual(Object.keys(fields));
  });

  it('says what differs by type', () => {
    const rows = PAYMENT_EVENT_SCHEMAS.map(({ type }) => {
      const { status, previousStatus, payment, reason } = dataOf(type);
      return [`\`${type}\``, ...[status, previousStatus, payment, reason].map(shown)];
    });
    expect(tableOf('type')).toEqual(rows);
    expect(Object.keys(dataOf('webhook.test'))).toEqual(['endpointId']);
  });
});
