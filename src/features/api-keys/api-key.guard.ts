import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { OPEN, type OpenSetting } from '../../platform/http/open-route.ts';
import { OpenPaths } from '../../platform/http/open-paths.ts';
import { KeyCheck } from './key-check.ts';

/** Lets a request pass that has a known API key. Whatever is not marked as open needs one. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keyCheck: KeyCheck,
    private readonly openPlaces: OpenPaths,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const places = [context.getHandler(), context.getClass()];
    const open = this.reflector.getAllAndOverride<true | OpenSetting | undefined>(OPEN, places);
    if (open === true || (open !== undefined && this.openPlaces.settings.has(open))) return true;
    await this.keyCheck.check(context.switchToHttp().getRequest<KeyedRequest>());
    return true;
  }
}
