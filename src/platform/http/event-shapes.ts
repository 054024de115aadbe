import { PAYMENT_EVENT_SCHEMAS } from '../../domain/event/event-schemas.ts';
import type { JsonSchema } from '../../domain/text/json-schema.ts';

/** The OpenAPI 3.0 schema of any payment event. */
export const AN_EVENT = {
  oneOf: PAYMENT_EVENT_SCHEMAS.map(({ type }) => ({ $ref: refOf(type) })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(PAYMENT_EVENT_SCHEMAS.map(({ type }) => [type, refOf(type)])),
  },
};

/** The components that AN_EVENT refers to, by name: the schemas of `/schemas` and `/asyncapi.json` converted to OpenAPI 3.0. */
export const EVENT_COMPONENTS: Readonly<Record<string, object>> = Object.fromEntries(
  PAYMENT_EVENT_SCHEMAS.map(({ type, summary, schema }) => [
    type,
    { description: summary, ...openApiSchemaOf(schema) },
  ]),
);

function refOf(type: string): string {
  return `#/components/schemas/${type}`;
}

/** Converts `const` and the type `null`, which OpenAPI 3.0 lacks. */
function openApiSchemaOf(schema: JsonSchema): JsonSchema {
  const { const: only, type, properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(only === undefined ? {} : { enum: [only] }),
    ...openApiTypeOf(type),
    // Without `additionalProperties`, generated clients read an object without fields.
    ...(isObject(type) && properties === undefined
      ? { additionalProperties: rest['additionalProperties'] ?? true }
      : {}),
    ...(items === undefined ? {} : { items: openApiSchemaOf(items as JsonSchema) }),
    ...(properties === undefined ? {} : { properties: openApiFieldsOf(properties as object) }),
  };
}

function isObject(type: unknown): boolean {
  return [type].flat().includes('object');
}

function openApiTypeOf(type: unknown): JsonSchema {
  if (type === undefined) return {};
  const [named, ...more] = [type].flat().filter((name) => name !== 'null');
  if (more.length > 0) throw new TypeError('OpenAPI 3.0 allows one type besides null.');
  if (named === undefined) return { type: 'object', nullable: true, enum: [null] };
  return Array.isArray(type) && type.includes('null') ? { type: named, nullable: true } : { type: named };
}

function openApiFieldsOf(properties: object): JsonSchema {
  const fields = Object.entries(properties) as [string, JsonSchema][];
  return Object.fromEntries(fields.map(([name, field]) => [name, openApiSchemaOf(field)]));
}
