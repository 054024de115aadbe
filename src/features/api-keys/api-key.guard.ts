import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';

import type { Role } from '../../domain/access/role.ts';
import { ALLOWED, Forbidden } from '../../platform/http/access.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { OPEN, type OpenSetting } from '../../platform/http/open-route.ts';
import { OpenPaths } from '../../platform/http/open-paths.ts';
import type { RequestNotes } from '../../platform/http/request-log.ts';
import { KeyCheck } from './key-check.ts';

/**
 * Admits requests with a known API key whose role the route allows. Every route that is not marked as open needs a key; a
 * route that allows no role admits no request.
 */
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
    const request = context.switchToHttp().getRequest<KeyedRequest>();
    await this.keyCheck.check(request);
    const allowed = this.reflector.getAllAndOverride<readonly Role[] | undefined>(ALLOWED, targets) ?? [];
    if (request.role !== undefined && allowed.includes(request.role)) return true;
    noteKey(request, context.switchToHttp().getResponse<Response>());
    throw new Forbidden(request, allowed);
  }
}

/** Adds the key to the log line of a refused request. */
function noteKey({ apiKeyName, role }: KeyedRequest, { locals }: Response): void {
  const notes = locals as RequestNotes;
  if (apiKeyName !== undefined) notes.keyName = apiKeyName;
  if (role !== undefined) notes.role = role;
}
