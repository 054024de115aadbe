import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

import { metadataFault } from '../../domain/payment/order-fields.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { InvalidField, type FieldError } from './invalid-field.ts';
import { METADATA_RULE } from './must-be.ts';

const MAX_UNKNOWN = 10;
const MAX_NAME_LENGTH = 100;

type FieldsClass<Fields> = new () => Fields;

/**
 * Reads a body into its class by the class-validator rules there, and throws InvalidField otherwise. No body at all
 * counts as an empty one, so that the answer names the missing fields; `null` is a wrong one.
 * Only declared fields are looked at: whatever else was sent, however deep, costs nothing and reaches nothing.
 */
export function readFields<Fields extends object>(into: FieldsClass<Fields>, sent: unknown): Fields {
  const given = sent === undefined ? {} : sent;
  if (!isRecord(given)) throw new InvalidField('body', 'must be a JSON object');
  const fields = new into();
  for (const name of declaredFields(into)) {
    if (Object.hasOwn(given, name)) Object.assign(fields, { [name]: given[name] });
  }
  const errors = validateSync(fields, { forbidUnknownValues: false, stopAtFirstError: true });
  const [first, ...more] = errors.map(fieldError);
  if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
  return fields;
}

/** As readFields, and throws InvalidField for a field that is not declared. */
export function readOnlyFields<Fields extends object>(into: FieldsClass<Fields>, sent: unknown): Fields {
  const known = declaredFields(into);
  const given = isRecord(sent) ? Object.keys(sent) : [];
  const unknown = given.filter((name) => !known.has(name)).slice(0, MAX_UNKNOWN);
  const message = `is not a field that can be set here; those are ${[...known].join(', ')}`;
  const [first, ...more] = unknown.map((name) => ({ field: name.slice(0, MAX_NAME_LENGTH), message }));
  if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
  return readFields(into, sent);
}

const declared = new Map<FieldsClass<object>, ReadonlySet<string>>();

/** The names of a class's fields that have a rule. */
export function declaredFields(fields: FieldsClass<object>): ReadonlySet<string> {
  const known = declared.get(fields);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(fields, '', false, false);
  const names = new Set(rules.map((rule) => rule.propertyName));
  declared.set(fields, names);
  return names;
}

function fieldError({ property, constraints = {}, value }: ValidationError): FieldError {
  const fault = METADATA_RULE in constraints ? metadataFault(value) : null;
  if (fault === null)
    return { field: property, message: withoutName(Object.values(constraints)[0], property) };
  return { field: fault.key === null ? property : `${property}.${fault.key}`, message: fault.message };
}

/** class-validator begins its own messages with the field's name, which stands beside them already. */
export function withoutName(message: string | undefined, name: string): string {
  if (message === undefined) return 'is not valid';
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}
