import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import type { KeyedRequest } from '../http/keyed-request.ts';
import { OPEN } from '../http/open.ts';
import { KeyCheck } from './key-check.ts';

/** Lets a request pass that has a known API key. Whatever is not marked as open needs one. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keyCheck: KeyCheck,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(OPEN, [context.getHandler(), context.getClass()]))
      return true;
    await this.keyCheck.check(context.switchToHttp().getRequest<KeyedRequest>());
    return true;
  }
}
