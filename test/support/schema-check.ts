import { Ajv2020 } from 'ajv/dist/2020.js';

/** The formats that the schemas of events use, as RFC 3339 and RFC 9562 have them. */
export const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'uri-reference': /^[\w.~:/!$&'()*+,;=@-]+$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
};

/** Checks the JSON of an event against the schema of its type, or of another type; returns null, or the fault. */
export type SchemaCheck = (body: string, type?: string) => string | null;

/** Checks events by schema documents, whose titles are the event types. */
export function schemaCheck(documents: readonly object[]): SchemaCheck {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS });
  const checks = new Map(
    documents.map((document) => [(document as { title: string }).title, ajv.compile(document)]),
  );
  return (body, type) => {
    const event = JSON.parse(body) as { type?: string };
    const name = type ?? event.type ?? '';
    const check = checks.get(name);
    if (check === undefined) return `there is no schema for "${name}"`;
    return check(event) ? null : ajv.errorsText(check.errors);
  };
}
