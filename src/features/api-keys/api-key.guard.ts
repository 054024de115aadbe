import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { OPEN, type OpenSetting } from '../../platform/http/open-route.ts';
import { OpenPaths } from '../../platform/http/open-paths.ts';
import { KeyCheck } from './key-check.ts';

/** Admits requests with a known API key. Every route that is not marked as open needs one. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keyCheck: KeyCheck,
    private readonly openPaths: OpenPaths,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const open = this.reflector.getAllAndOverride<true | OpenSetting | undefined>(OPEN, targets);
    if (open === true || (open !== undefined && this.openPaths.settings.has(open))) return true;
    await this.keyCheck.check(context.switchToHttp().getRequest<KeyedRequest>());
    return true;
  }
}
