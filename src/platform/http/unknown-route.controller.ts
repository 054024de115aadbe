import { All, Controller, NotFoundException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { ACCESS, Allow } from './access.ts';
import { AnyParameters } from './known-parameters.interceptor.ts';

/** Handles unknown paths under /api: without this route, a request without an API key would get a 404 instead of a 401. */
@ApiExcludeController()
@AnyParameters()
@Allow(ACCESS.read)
@Controller()
export class UnknownRouteController {
  @All('api{/*path}')
  refuse(): never {
    throw new NotFoundException();
  }
}
