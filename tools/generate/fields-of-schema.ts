import type { Fields, JsonSchema } from '../../src/domain/text/json-schema.ts';

/** The fields that `objectSchema` was given. */
export function fieldsOfSchema({ properties, required }: JsonSchema): Fields {
  const isRequired = new Set(required as readonly string[]);
  return Object.fromEntries(
    Object.entries(properties as Fields).map(([name, schema]) => [
      name,
      isRequired.has(name) ? schema : { ...schema, optional: true },
    ]),
  );
}
