import { describe, expect, it } from '@jest/globals';

import { fieldsOfSchema, objectSchema, type Fields } from '../../src/domain/text/json-schema.ts';

const FIELDS: Fields = {
  id: { type: 'string' },
  note: { type: 'string', optional: true },
};

describe('the schema of an object', () => {
  it('requires each field that is not optional, and allows others', () => {
    expect(objectSchema(FIELDS)).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, note: { type: 'string' } },
      required: ['id'],
      additionalProperties: true,
    });
  });

  it('gives its fields back', () => {
    expect(fieldsOfSchema(objectSchema(FIELDS))).toEqual(FIELDS);
  });
});
