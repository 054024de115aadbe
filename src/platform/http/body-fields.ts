import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

import { readFields, readOnlyFields } from './read-fields.ts';

/**
 * The body, read into a class: `@BodyFields(QuoteBody) body: QuoteBody`; the one way to read it. Unlike `@Body()` it
 * keeps a map's keys as they came: class-transformer drops an entry that is named `constructor` without a word.
 */
export const BodyFields = createParamDecorator((into: new () => object, context: ExecutionContext) =>
  readFields(into, context.switchToHttp().getRequest<Request>().body),
);

/** As BodyFields, and refuses every other field: for changes, where one that is misspelt would change nothing. */
export const OnlyBodyFields = createParamDecorator((into: new () => object, context: ExecutionContext) =>
  readOnlyFields(into, context.switchToHttp().getRequest<Request>().body),
);
