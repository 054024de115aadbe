/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Described = abstract new () => object;

/** What a field holds: a JSON Schema, or the class of an object. */
type Content = JsonSchema | Described;

const fields = new WeakMap<object, Map<string, Content>>();

/** Says what a field holds; a subclass may say it more narrowly. */
export function Holds(content: Content): PropertyDecorator {
  return (prototype, name) => {
    const own = fields.get(prototype) ?? new Map<string, Content>();
    fields.set(prototype, own.set(String(name), content));
  };
}

/** The JSON Schema of a class whose fields say what they hold: all of them must be there, and others may be. */
export function schemaOf(described: Described): JsonSchema {
  const all = [...fieldsOf(described.prototype as object)];
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, content]) => [name, plain(content)])),
    required: all.map(([name]) => name),
    additionalProperties: true,
  };
}

/** In the order in which they were first named, the narrowest class deciding what they hold. */
function fieldsOf(prototype: object): Map<string, Content> {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  const inherited = parent === null ? new Map<string, Content>() : fieldsOf(parent);
  return new Map([...inherited, ...(fields.get(prototype) ?? [])]);
}

function plain(content: Content): JsonSchema {
  return typeof content === 'function' ? schemaOf(content) : content;
}
