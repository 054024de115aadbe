import { type ArgumentMetadata, Injectable, type ValidationError, ValidationPipe } from '@nestjs/common';

import { type FieldError, InvalidField } from './invalid-field.ts';
import { readFields, withoutName } from './read-fields.ts';

const MAX_ERRORS = 50;

/**
 * Checks bodies and queries against their classes and names every field at fault. Queries are converted first, where
 * their class says so with `@Type`; bodies never are.
 */
@Injectable()
export class RequestValidation extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      transform: true,
      forbidUnknownValues: true,
      stopAtFirstError: false,
      validationError: { target: false, value: false },
      exceptionFactory: refuse,
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, data, metatype } = metadata;
    if (type === 'body' && data === undefined && this.toValidate(metadata)) {
      // No body at all counts as an empty one, so that the answer names the missing fields; `null` is a wrong one.
      if (value === null) throw new InvalidField('body', 'must be a JSON object');
      return readFields(metatype as new () => object, value);
    }
    return super.transform(value, metadata) as Promise<unknown>;
  }
}

function refuse(errors: readonly ValidationError[]): InvalidField {
  const [first, ...more] = flatten(errors).slice(0, MAX_ERRORS);
  return new InvalidField(first?.field ?? 'query', first?.message ?? 'is not valid', ...more);
}

function flatten(errors: readonly ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = parent === '' ? error.property : `${parent}.${error.property}`;
    const own = Object.values(error.constraints ?? {}).map((message) => ({
      field,
      message: withoutName(message, error.property),
    }));
    return [...own, ...flatten(error.children ?? [], field)];
  });
}
