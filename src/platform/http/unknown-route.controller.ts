import { All, Controller, NotFoundException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

import { AnyParameters } from './known-parameters.interceptor.ts';

/** What no other controller answers under /api: without it, it would be a 404 before the key is looked at. */
@ApiExcludeController()
@AnyParameters()
@Controller()
export class UnknownRouteController {
  @All('api{/*path}')
  refuse(): never {
    throw new NotFoundException();
  }
}
