import { readFile } from 'node:fs/promises';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { EVENT_SCHEMAS, PAYMENT_EVENT_SCHEMAS } from '../../src/domain/event/event-schemas.ts';
import type { Fields, JsonSchema } from '../../src/domain/text/json-schema.ts';
import { eventsDoc } from '../../tools/generate/events-doc.ts';

const fieldsOf = (schema: JsonSchema | undefined): Fields => schema?.['properties'] as Fields;
const dataOf = (schema: JsonSchema): Fields => fieldsOf(fieldsOf(schema)['data']);

describe('docs/using/events.md', () => {
  let text = '';

  beforeAll(async () => {
    text = await readFile(new URL('../../docs/using/events.md', import.meta.url), 'utf8');
  });

  /** The names of a table's rows or columns. */
  const namesIn = (table: string, pattern: RegExp): string[] => {
    const [, after = ''] = text.split(`<!-- npm run generate: ${table} -->\n\n`);
    const [rows = ''] = after.split('\n\n');
    return [...rows.matchAll(pattern)].flatMap(([, name]) => name ?? []);
  };

  it('has the tables that npm run generate makes of the table of events', async () => {
    expect(text.match(/<!-- npm run generate: /g)).toHaveLength(4);
    expect(await eventsDoc(text)).toBe(text);
  });

  it('names every type, and every field that the schema of a type has', () => {
    const names = new Set(PAYMENT_EVENT_SCHEMAS.flatMap(({ schema }) => Object.keys(dataOf(schema))));
    const common = namesIn('data', /^\| `(\w+)`/gm);
    const differing = namesIn('types', /(?<=^\| type .*)`(\w+)`/gm);
    expect(namesIn('types', /^\| `([\w.]+)`/gm)).toEqual(PAYMENT_EVENT_SCHEMAS.map(({ type }) => type));
    expect(new Set([...common, ...differing])).toEqual(names);
    for (const { schema } of PAYMENT_EVENT_SCHEMAS)
      expect(namesIn('envelope', /^\| `(\w+)`/gm)).toEqual(
        expect.arrayContaining(Object.keys(fieldsOf(schema))),
      );
    const test = EVENT_SCHEMAS.find(({ type }) => type === 'webhook.test');
    expect(Object.keys(dataOf(test?.schema ?? {}))).toEqual(['endpointId']);
  });
});
