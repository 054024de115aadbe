import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

import { readFields, readOnlyFields } from './read-fields.ts';

/**
 * Reads the body into a class: `@BodyFields(QuoteBody) body: QuoteBody`. The only way to read a body: unlike `@Body()` it
 * keeps all keys of a map, where class-transformer silently drops an entry that is named `constructor`.
 */
export const BodyFields = createParamDecorator((into: new () => object, context: ExecutionContext) =>
  readFields(into, context.switchToHttp().getRequest<Request>().body),
);

/** Like BodyFields, but refuses undeclared fields. For PATCH bodies: a misspelt field would silently change nothing. */
export const OnlyBodyFields = createParamDecorator((into: new () => object, context: ExecutionContext) =>
  readOnlyFields(into, context.switchToHttp().getRequest<Request>().body),
);
