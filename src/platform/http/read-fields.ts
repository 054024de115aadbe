import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

import { metadataFault } from '../../domain/payment/order-fields.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { isSlipOf, lettersOf } from '../../domain/text/slip.ts';
import { InvalidField, type FieldError } from './invalid-field.ts';
import { METADATA_RULE } from './must-be.ts';

const SLIPS = 'paybell:slips';
const MAX_UNKNOWN = 10;
const MAX_NAME_LENGTH = 100;

type FieldsClass<Fields> = new () => Fields;

/**
 * Refuses a body with a misspelt name of this field, or with one of its `aliases`: such a field would be ignored, since the
 * body is valid without it.
 */
export function RefusesSlips(...aliases: string[]): PropertyDecorator {
  return (fields, name) => {
    const guarded = guardedFields(fields);
    Reflect.defineMetadata(SLIPS, { ...guarded, [String(name)]: aliases }, fields);
  };
}

/**
 * Reads a body into a class and validates it with the class's class-validator decorators; throws InvalidField. A missing body
 * counts as an empty object, so that the problem names the missing fields; `null` is invalid. Copies only declared fields:
 * undeclared ones, at any depth, are neither walked nor passed on.
 */
export function readFields<Fields extends object>(into: FieldsClass<Fields>, sent: unknown): Fields {
  const given = sent === undefined ? {} : sent;
  if (!isRecord(given)) throw new InvalidField('body', 'must be a JSON object');
  const fields = new into();
  for (const name of declaredFields(into)) {
    if (Object.hasOwn(given, name)) Object.assign(fields, { [name]: given[name] });
  }
  const errors = validateSync(fields, { forbidUnknownValues: false, stopAtFirstError: true });
  const [first, ...more] = [...errors.map(fieldError), ...slipsIn(fields, Object.keys(given))];
  if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
  return fields;
}

function slipsIn(fields: object, given: readonly string[]): FieldError[] {
  const known = declaredFields(fields.constructor as FieldsClass<object>);
  const guarded = Object.entries(guardedFields(fields));
  const unknown = given.filter((name) => !known.has(name));
  const slips = unknown.flatMap((name) => {
    const [meant] =
      guarded.find(
        ([field, aliases]) =>
          isSlipOf(name, field) || aliases.some((alias) => lettersOf(alias) === lettersOf(name)),
      ) ?? [];
    const message = `is not a field here: did you mean "${meant}"?`;
    return meant === undefined ? [] : [{ field: name.slice(0, MAX_NAME_LENGTH), message }];
  });
  return slips.slice(0, MAX_UNKNOWN);
}

/** The fields with RefusesSlips, and their aliases. */
function guardedFields(fields: object): Readonly<Record<string, readonly string[]>> {
  return (Reflect.getMetadata(SLIPS, fields) ?? {}) as Record<string, readonly string[]>;
}

/** Like readFields, but throws InvalidField for an undeclared field. */
export function readOnlyFields<Fields extends object>(into: FieldsClass<Fields>, sent: unknown): Fields {
  const known = declaredFields(into);
  const given = isRecord(sent) ? Object.keys(sent) : [];
  const unknown = given.filter((name) => !known.has(name)).slice(0, MAX_UNKNOWN);
  const message = `is not a field that can be set here; those are ${[...known].join(', ')}`;
  const [first, ...more] = unknown.map((name) => ({ field: name.slice(0, MAX_NAME_LENGTH), message }));
  if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
  return readFields(into, sent);
}

/** A body that is a list of entries, or one of them. */
export class ListOrOne {
  constructor(
    readonly list: FieldsClass<object>,
    readonly one: FieldsClass<object>,
  ) {}

  /** The class of a list if the body has one of its fields. */
  classOf(sent: unknown): FieldsClass<object> {
    const isList = isRecord(sent) && [...declaredFields(this.list)].some((name) => Object.hasOwn(sent, name));
    return isList ? this.list : this.one;
  }

  /** A list must not have other fields: they would be mistaken for fields of each entry. Throws InvalidField. */
  read(sent: unknown): object {
    const into = this.classOf(sent);
    return into === this.list ? readOnlyFields(into, sent) : readFields(into, sent);
  }
}

const declared = new Map<FieldsClass<object>, ReadonlySet<string>>();

/** The names of a class's fields that have a validation decorator; inherited ones first, as in /openapi.json. */
export function declaredFields(fields: FieldsClass<object>): ReadonlySet<string> {
  const known = declared.get(fields);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(fields, '', false, false);
  const isInherited = (rule: (typeof rules)[number]): boolean => rule.target !== fields;
  const ordered = [...rules.filter(isInherited), ...rules.filter((rule) => !isInherited(rule))];
  const names = new Set(ordered.map((rule) => rule.propertyName));
  declared.set(fields, names);
  return names;
}

function fieldError({ property, constraints = {}, value }: ValidationError): FieldError {
  const fault = METADATA_RULE in constraints ? metadataFault(value) : null;
  if (fault === null)
    return { field: property, message: withoutName(Object.values(constraints)[0], property) };
  return { field: fault.key === null ? property : `${property}.${fault.key}`, message: fault.message };
}

/** Removes the field's name from the beginning of a class-validator message: FieldError has it in `field`. */
export function withoutName(message: string | undefined, name: string): string {
  if (message === undefined) return 'is not valid';
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}
