/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Described = abstract new () => object;

/** The content of a field: a JSON Schema, or the class of an object. */
type Content = JsonSchema | Described;

const fields = new WeakMap<object, Map<string, Content>>();

/** Declares the content of a field; a subclass may narrow it. */
export function Holds(content: Content): PropertyDecorator {
  return (prototype, name) => {
    const own = fields.get(prototype) ?? new Map<string, Content>();
    fields.set(prototype, own.set(String(name), content));
  };
}

/** The JSON Schema of a class whose fields have `@Holds`: it requires all of them and allows others. */
export function schemaOf(described: Described): JsonSchema {
  const all = [...fieldsOf(described.prototype as object)];
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, content]) => [name, plain(content)])),
    required: all.map(([name]) => name),
    additionalProperties: true,
  };
}

/** The fields in the order of their first declaration, with the content that the narrowest class declares. */
function fieldsOf(prototype: object): Map<string, Content> {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  const inherited = parent === null ? new Map<string, Content>() : fieldsOf(parent);
  return new Map([...inherited, ...(fields.get(prototype) ?? [])]);
}

function plain(content: Content): JsonSchema {
  return typeof content === 'function' ? schemaOf(content) : content;
}
