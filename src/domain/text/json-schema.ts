/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The fields of an object, each with its schema. */
export type Fields = Readonly<Record<string, JsonSchema>>;

/** The object that has these fields. */
export type ObjectOf<All extends Fields> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/** The type of the values that a schema allows, so that no field is declared a second time as a type. */
type ValueOf<Schema extends JsonSchema> = Schema extends { readonly const: infer Only }
  ? Only
  : Schema extends { readonly enum: readonly (infer Choice)[] }
    ? Choice
    : Schema extends { readonly type: readonly (infer Name)[] }
      ? Named<Name, Schema>
      : Named<Schema['type'], Schema>;

interface Primitives {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type Named<Name, Schema> = Name extends keyof Primitives
  ? Primitives[Name]
  : Schema extends { readonly additionalProperties: infer Each extends JsonSchema }
    ? Readonly<Record<string, ValueOf<Each>>>
    : object;

/** The JSON Schema of an object: it requires all of these fields and allows others. */
export function objectSchema(fields: Fields): JsonSchema {
  return {
    type: 'object',
    properties: fields,
    required: Object.keys(fields),
    additionalProperties: true,
  };
}
