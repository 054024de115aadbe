/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The fields of an object, each with its schema. One with `optional: true` may be missing. */
export type Fields = Readonly<Record<string, JsonSchema>>;

interface Optional {
  readonly optional: true;
}

/** The object that has these fields. */
export type ObjectOf<All extends Fields> = {
  readonly [Name in keyof All as All[Name] extends Optional ? never : Name]: ValueOf<All[Name]>;
} & {
  readonly [Name in keyof All as All[Name] extends Optional ? Name : never]?: ValueOf<All[Name]>;
};

/** The type of the values that a schema allows, so that a field need not be declared again as a type. */
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
  : Schema extends { readonly items: infer Item extends JsonSchema }
    ? readonly ValueOf<Item>[]
    : Schema extends { readonly properties: infer Own extends Fields }
      ? ObjectOf<Own>
      : Schema extends { readonly additionalProperties: infer Each extends JsonSchema }
        ? Readonly<Record<string, ValueOf<Each>>>
        : object;

/** The JSON Schema of an object: requires all fields that are not optional, and allows further ones. */
export function objectSchema(fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { optional: _optional, ...schema }]) => [name, schema]),
    ),
    required: entries.filter(([, schema]) => schema['optional'] !== true).map(([name]) => name),
    additionalProperties: true,
  };
}
