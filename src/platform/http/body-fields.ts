import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { Request } from 'express';

import { ListOrOne, readFields, readOnlyFields } from './read-fields.ts';

/**
 * Reads the body into a class: `@BodyFields(QuoteBody) body: QuoteBody`. This is the only way to read a body. Unlike
 * `@Body()` it keeps all keys of a map: class-transformer silently drops an entry named `constructor`.
 */
export const BodyFields = createParamDecorator((into: new () => object, context: ExecutionContext) =>
  readFields(into, context.switchToHttp().getRequest<Request>().body),
);

/** Like BodyFields, but refuses undeclared fields. For PATCH bodies: a misspelt field would silently change nothing. */
export const OnlyBodyFields = createParamDecorator((into: new () => object, context: ExecutionContext) =>
  readOnlyFields(into, context.switchToHttp().getRequest<Request>().body),
);

/** Reads a body of two forms. */
export const ListOrOneFields = createParamDecorator((forms: ListOrOne, context: ExecutionContext) =>
  forms.read(context.switchToHttp().getRequest<Request>().body),
);

/** The class into which a handler reads this body, from Nest's metadata; null when it reads none. */
export function bodyClassOf(context: ExecutionContext, body: unknown): (new () => object) | null {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ??
    {}) as Record<string, { data?: unknown }>;
  const custom = Object.entries(args).filter(([key]) => key.includes(CUSTOM_ROUTE_ARGS_METADATA));
  const classes = custom.map(([, { data }]) => (data instanceof ListOrOne ? data.classOf(body) : data));
  const into = classes.find((data) => typeof data === 'function');
  return (into as (new () => object) | undefined) ?? null;
}
