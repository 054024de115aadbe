import { type ArgumentMetadata, Injectable, type ValidationError, ValidationPipe } from '@nestjs/common';

import { instanceToPlain, plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';

import { type FieldError, InvalidField } from './invalid-field.ts';
import { withoutName } from './read-fields.ts';

const MAX_ERRORS = 50;

/**
 * Validates query parameters with their class, after converting those marked with `@Type`, and reports every parameter at
 * fault. Bodies are validated by `@BodyFields()`.
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
      // By default, Nest would load all of both libraries.
      validatorPackage: { validate },
      transformerPackage: { plainToInstance, classToPlain: instanceToPlain },
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Fails in the first test of such a handler: a second way to read a body would validate it differently.
    if (metadata.type === 'body') throw new Error('Bodies are read with @BodyFields(), never with @Body()');
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
