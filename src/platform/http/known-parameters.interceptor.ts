import {
  type CallHandler,
  type CustomDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';

import { type FieldError, InvalidField } from './invalid-field.ts';
import { isRepeatable } from './list-query.ts';
import { declaredFields } from './read-fields.ts';

const OWN_PATH = /^\/api\//i;
const ANY_PARAMETERS = 'paybell:any-parameters';
const MAX_ERRORS = 10;
const MAX_NAME_LENGTH = 100;

type QueryClass = new () => object;

/** Marks a controller that ignores unknown query parameters, as clients of the spec expect. */
export const AnyParameters = (): CustomDecorator => SetMetadata(ANY_PARAMETERS, true);

/**
 * Refuses query parameters that the handler's `@Query()` class does not declare, and repeated single ones: a misspelt filter
 * would otherwise leave the list unfiltered without notice. Applies to all routes under /api without `@AnyParameters()`.
 */
@Injectable()
export class KnownParameters implements NestInterceptor {
  private readonly reflector = new Reflector();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const ignores = this.reflector.getAllAndOverride<boolean>(ANY_PARAMETERS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (OWN_PATH.test(request.path) && !ignores) refuseUnknown(request.query, queryClassOf(context));
    return next.handle();
  }
}

function refuseUnknown(query: Request['query'], declaring: QueryClass | null): void {
  const known = declaring === null ? new Set<string>() : declaredFields(declaring);
  const message = unknownMessage([...known]);
  const faults = Object.entries(query).flatMap(([name, value]): FieldError[] => {
    if (!known.has(name)) return [{ field: name.slice(0, MAX_NAME_LENGTH) || 'query', message }];
    const isSingle = declaring !== null && !isRepeatable(declaring, name);
    return isSingle && Array.isArray(value) ? [{ field: name, message: 'must be given once' }] : [];
  });
  const [first, ...more] = faults.slice(0, MAX_ERRORS);
  if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
}

function unknownMessage(known: readonly string[]): string {
  return known.length === 0
    ? 'is not a parameter here: there are none'
    : `is not a parameter here; those are: ${known.join(', ')}`;
}

/** The class of the handler's `@Query()`, from the metadata that Nest keeps for its pipes; null when the handler has none. */
function queryClassOf(context: ExecutionContext): QueryClass | null {
  const controller = context.getClass();
  const handler = context.getHandler().name;
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Record<
    string,
    { index: number }
  >;
  const key = Object.keys(args).find((each) => each.startsWith(`${RouteParamtypes.QUERY}:`));
  const index = key === undefined ? undefined : args[key]?.index;
  if (index === undefined) return null;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) as
    | QueryClass[]
    | undefined;
  return types?.[index] ?? null;
}
