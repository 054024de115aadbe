import { All, Controller, NotFoundException, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';

import { AnyParameters } from './known-parameters.interceptor.ts';
import { Open } from './open-route.ts';

const NO_CONTENT = 204;

/** An entry of Express's router, whose types lack these members. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The path has other methods. */
export class MethodNotAllowed extends Error {
  readonly code = 'method_not_allowed';
  constructor(
    method: string,
    readonly allow: string,
  ) {
    super(`This path has no ${method}, but ${allow}.`);
  }
}

/** Answers the requests that no route takes. Open, since the middleware has asked for the key wherever one is needed. */
@Open()
@ApiExcludeController()
@AnyParameters()
@Controller()
export class UnknownRouteController {
  @All('{*path}')
  refuse(@Req() request: Request, @Res({ passthrough: true }) response: Response): void {
    const allow = methodsOf(request).join(', ');
    if (allow === '') throw new NotFoundException();
    if (request.method !== 'OPTIONS') throw new MethodNotAllowed(request.method, allow);
    response.status(NO_CONTENT).set('allow', allow);
  }
}

/** The methods that the other routes of the path take; none: there is nothing at this path. */
function methodsOf({ app, path, route: own }: Request): string[] {
  const layers = app.router.stack as unknown as readonly Layer[];
  const others = layers.filter(({ route }) => route !== own).filter((layer) => layer.match(path));
  const taken = others.flatMap(({ route }) => Object.keys(route?.methods ?? {}));
  if (taken.length === 0) return [];
  const implied = taken.includes('get') ? ['head', 'options'] : ['options'];
  return [...new Set([...taken, ...implied])].map((method) => method.toUpperCase()).toSorted();
}
